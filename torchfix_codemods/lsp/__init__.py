"""The editor's side of the tool: diagnostics, quick fixes and pages of rules over LSP."""
