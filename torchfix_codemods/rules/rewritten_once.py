"""Rules about calls that say the same of several calls of a file once."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.questions.named_lines import told_once
from torchfix_codemods.rules.rewritten import Rewritten


class RewrittenOnce(Rewritten):
    """Base of the rules whose advice on a call names the other calls of which the same is said."""

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        for found in super().find_Call(call, facts):
            if found.region is not None:
                yield found
                continue
            name = last_name(call.func)
            calls = (c for c in facts.names.nodes.get(ast.Call, ()) if isinstance(c, ast.Call))
            alike = (other for other in calls if last_name(other.func) == name)
            key = self.code, name
            message = told_once(call, facts, key, alike, lambda c: self._advice_on(c, facts))
            if message is not None:
                yield self.advice(call, message, fails=found.fails)

    def _advice_on(self, call: ast.AST, facts: Facts) -> str | None:
        """What is said of a call that is not rewritten."""
        found = super().find_Call(call, facts) if isinstance(call, ast.Call) else ()
        return next((each.message for each in found if each.region is None), None)
