"""Places that rules left alone because it is not known what an expression is."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path

from torchfix_codemods.documents.kinds import is_document
from torchfix_codemods.engine.dispatch import BY_WORD, looks
from torchfix_codemods.engine.migrate import facts_of
from torchfix_codemods.engine.suppression import Suppressions
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import FileResult, Finding, Numerics
from torchfix_codemods.project.files import FilesOf
from torchfix_codemods.project.index import Index
from torchfix_codemods.project.texts import Texts
from torchfix_codemods.rule import Rule
from torchfix_codemods.runs.chosen import options_for, rules_for
from torchfix_codemods.runs.reading import reading_of
from torchfix_codemods.settings.config import Settings
from torchfix_codemods.text.source import SourceError, decode
from torchfix_codemods.text.stack import with_deep_stack
from torchfix_codemods.why.noting import Noting
from torchfix_codemods.why.reasons import Weight, reasons


class Doubts:
    """Looks again at the files of a run, each with all that is known of its project.

    Args:
        settings: what the run applies.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._index = Index()

    def of(self, result: FileResult) -> list[Finding]:
        """What rules left alone in a file because something is not known.

        Args:
            result: what became of the file; where it changed, it is looked at as it was before.

        Returns:
            one for each place, rule and reason; none for documents and for what cannot be read.
        """
        path = Path(result.path)
        if result.errors or result.skipped or is_document(path):
            return []
        try:
            text = result.before
            if text is None:
                data = path.read_bytes()
                if b"torch" not in data:
                    return []
                text = decode(data).text
            self._index.enter(path)
            reading = reading_of(text.encode("utf-8", "surrogatepass"), path, self._texts)
            options = options_for(path, self._settings, FilesOf(path, self._index))
            facts = Noting(facts_of(text, options))
        except (OSError, SourceError, SyntaxError):
            return []
        rules = reading.rules(rules_for(path, self._settings))
        found = with_deep_stack(lambda: list(_doubts(facts, rules)))
        told = {(finding.line, finding.code) for finding in (*result.findings, *result.passed)}
        return sorted({each for each in found if (each.line, each.code) not in told})

    def _texts(self) -> Texts:
        return self._index.texts


def _doubts(facts: Noting, rules: Sequence[Rule]) -> Iterator[Finding]:
    suppressions = Suppressions(facts.lines)
    for node, rule, found in looks(facts, rules):
        if not facts.taken() or found or not isinstance(node, BY_WORD):
            continue
        finder = getattr(rule, f"find_{type(node).__name__}")
        doubts = {
            leaf.text
            for reason in reasons(finder, node, facts)
            for leaf in reason.leaves()
            if leaf.own_weight is Weight.DOUBT
        }
        facts.taken()
        if doubts and not _is_passed(rule, node, facts, suppressions):
            for doubt in doubts:
                yield Finding(
                    node.lineno,
                    facts.column(node),
                    rule.code,
                    rule.name,
                    f"left alone: {doubt}",
                    Numerics.ADVICE,
                    fixed=False,
                )


def _is_passed(rule: Rule, node: ast.AST, facts: Facts, suppressions: Suppressions) -> bool:
    """Whether a comment or a test of torch's version asks to leave a place alone anyway."""
    is_hidden = bool(suppressions) and suppressions.hides(
        rule.code, rule.name, facts.statement(node), node
    )
    return is_hidden or is_version_checked(facts, node)
