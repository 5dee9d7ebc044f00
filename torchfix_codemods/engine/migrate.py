"""One text in, one migration out: find, rewrite, and again until nothing is left to find."""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import field, replace

from torchfix_codemods.documents.lists_of_python2 import lists_of_python2
from torchfix_codemods.documents.only_python2 import left_of_python2
from torchfix_codemods.edit.imports import orphaned_imports, used_names
from torchfix_codemods.edit.tidying.adjacent_blocks import AdjacentBlocks
from torchfix_codemods.edit.tidying.filled_when_made import FilledWhenMade, MadeLike
from torchfix_codemods.edit.tidying.fresh_outputs import FreshOutput, KeptShape
from torchfix_codemods.edit.tidying.leftovers import (
    EmptyBranches,
    EqualBranches,
    IdleComprehension,
    NestedClasses,
    RepeatedMove,
    StaleComment,
    UnwrappedComment,
)
from torchfix_codemods.edit.tidying.moves.converted_when_moved import ConvertedWhenMoved
from torchfix_codemods.edit.tidying.moves.moved_below import MovedBelow
from torchfix_codemods.edit.tidying.moves.moved_data import MovedData
from torchfix_codemods.edit.tidying.moves.moved_together import MovedTogether
from torchfix_codemods.edit.tidying.moves.moved_when_made import MovedWhenMade
from torchfix_codemods.edit.tidying.needless_names import NeedlessName, ReturnedName
from torchfix_codemods.edit.tidying.recorded_when_made import RecordedWhenMade
from torchfix_codemods.edit.tidying.self_assignment import SelfAssignment
from torchfix_codemods.edit.tidying.stale_docstrings import StaleDocstring
from torchfix_codemods.edit.tidying.type_comments import MovedType, TestedType, TypeComment
from torchfix_codemods.edit.tidying.unused_flags import UnreadFlag, UnusedFlag
from torchfix_codemods.edit.tidying.version_notes import LaterForm, VersionNote
from torchfix_codemods.edit.tidying.whole_function import WholeFunction
from torchfix_codemods.engine.dates import Kept, Key, Rewrites, dating
from torchfix_codemods.engine.dispatch import Question, find, is_candidate, rule_failure
from torchfix_codemods.engine.extents import extent_of
from torchfix_codemods.engine.founds import (
    each_once,
    merged,
    stands_in_fstring,
    with_reasons,
    without,
)
from torchfix_codemods.engine.garbage import not_collected
from torchfix_codemods.engine.linemap import LineMap
from torchfix_codemods.engine.narrow import narrowed
from torchfix_codemods.engine.parsing import FailedError, is_valid, parse
from torchfix_codemods.engine.regions import TOO_EARLY, Applied, Regions, RewriteError
from torchfix_codemods.engine.suppression import Suppressions, skips_file
from torchfix_codemods.engine.unknown_rules import unknown_rules
from torchfix_codemods.engine.unused_comments import Heeded, unused_comments
from torchfix_codemods.engine.waiting import waiting
from torchfix_codemods.facts.age.ages import Ages
from torchfix_codemods.facts.age.era import Era, Version
from torchfix_codemods.facts.evaluation.reached_returns import never_runs
from torchfix_codemods.facts.guards import is_version_checked
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.facts.programs.whole import WholeFacts
from torchfix_codemods.facts.values.inference import Files
from torchfix_codemods.finding import (
    SKIPPED_BY_COMMENT,
    FileError,
    Finding,
    Noted,
    Numerics,
    Reason,
    rank_of,
)
from torchfix_codemods.record import record
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.text.repair import repair_async
from torchfix_codemods.text.source import with_line_ends
from torchfix_codemods.text.stack import with_deep_stack

MAX_ROUNDS = 10

_SUPPRESSED = "a comment asks for it"
_VERSION_CHECKED = "the code around it asks which torch it runs on"
_TORN = "what it goes together with is left as well"

#: The code of the rule without which some texts cannot be read.
MENDS = "TP204"

_TIDYING = (
    AdjacentBlocks(),
    SelfAssignment(),
    NeedlessName(),
    ReturnedName(),
    EmptyBranches(),
    EqualBranches(),
    IdleComprehension(),
    RepeatedMove(),
    ConvertedWhenMoved(),
    MovedData(),
    MovedWhenMade(),
    MovedTogether(),
    MovedBelow(),
    FilledWhenMade(),
    MadeLike(),
    RecordedWhenMade(),
    FreshOutput(),
    KeptShape(),
    NestedClasses(),
    UnusedFlag(),
    UnreadFlag(),
    StaleComment(),
    UnwrappedComment(),
    StaleDocstring(),
    TypeComment(),
    TestedType(),
    MovedType(),
    VersionNote(),
    LaterForm(),
    WholeFunction(),
)


@record
class Migration:
    """What became of one text."""

    text: str
    findings: tuple[Finding, ...] = ()
    errors: tuple[FileError, ...] = ()
    era: Era = field(default_factory=Era)
    skipped: str = ""
    """Why the file is left alone, where a comment asks for it or there is no Python in it."""
    passed: tuple[Finding, ...] = ()
    """What was found where the code itself asks to be left alone; the messages say how."""


@record
class Options:
    """What a migration needs to know besides the text."""

    device_name: str = "device"
    era: Era | None = None
    """The torch version given by ``--from``; None: found in the text and in the project."""
    numerics: frozenset[Numerics] = frozenset(Numerics)
    """The claims whose rewrites are applied; findings of the others are reported only."""
    reasons: frozenset[Reason] = frozenset(Reason)
    """The reasons for which anything is rewritten; of the others nothing is said."""
    imported_elsewhere: Callable[[], bool] = lambda: True
    """Whether other files may take names from this one; asked only when it matters."""
    used_elsewhere: Callable[[str], bool] = lambda name: False
    """Whether a file that may take names from this one speaks of a name."""
    mentioned_elsewhere: Callable[[str], bool] = lambda name: False
    """Whether any file of the project speaks of a name."""
    attribute_read: Callable[[str], bool] = lambda name: False
    """Whether any file of the project reads an attribute of a name."""
    files: Files | None = None
    """The other files of the project, as this one imports them."""
    later: Options | None = None
    """What holds once the other files were migrated, too; looked at when all else is done."""
    required: Callable[[], Era] = Era
    """Which torch versions the project requires; asked only when it matters."""
    beside: Callable[[], Era] = Era
    """For which torch its other files show the project to be written; asked only of a file that
    nothing else dates."""
    needed: Callable[[], Collection[Version]] = tuple
    """Which torch versions what stands around the file needs; asked only when it matters."""
    ages: Ages = field(default_factory=Ages)
    """What is known of the age of the file's lines besides what they say themselves."""
    keeps_ages: bool = False
    """Whether a run that writes the file notes for the next one how old it was."""
    mends: Rule | None = None
    """The rule that makes a text readable, where it is not among those that are asked: what it
    rewrites stays only beside something that they rewrite."""
    enabled: Callable[[], frozenset[str]] = frozenset
    """The codes of the rules that the settings leave, whether or not the text gives them
    anything to look at; asked only where a comment asks to be left alone."""
    accepts: Callable[[int, str], bool] = lambda line, code: True
    """Whether a rewrite is wanted, by its line in the file as it was and the code of its rule."""
    noted: Noted | None = None
    """Gets what is rewritten so far, round by round: it stays in the end unless something fails."""
    read_at: Callable[[int], int] = lambda line: line
    """Which line of the file that a person sees a line of the text is: what was Python 2 may have
    had others."""

    def by_itself(self) -> Options:
        """The same without what the other files show of the torch that this one is for."""
        later = None if self.later is None else self.later.by_itself()
        return replace(self, beside=Era, later=later)

    def of_lines(self, read_at: Callable[[int], int]) -> Options:
        """The same for a text whose lines are others than those of its file."""
        later = None if self.later is None else self.later.of_lines(read_at)
        return replace(self, read_at=read_at, later=later)


_DEFAULTS = Options()


def migrate_text(text: str, rules: Sequence[Rule], options: Options = _DEFAULTS) -> Migration:
    """Rewrite one module.

    Args:
        text: the module, with any line ends.
        rules: the rules to apply, from :func:`torchfix_codemods.rules.select`.
        options: settings.

    Returns:
        the new text, which equals the old one when nothing was to be done or when something
        went wrong (``errors`` says what), and everything that was found.
    """
    if skips_file(text):
        return Migration(text, skipped=SKIPPED_BY_COMMENT)
    is_of_windows = "\r\n" in text and with_line_ends(text, "\r\n") == text
    read = with_line_ends(text, "\n") if is_of_windows else text
    # Trees are garbage only when the file is done.
    with not_collected():
        migration = with_deep_stack(lambda: _migrated(read, rules, options))
    if not is_of_windows:
        return migration
    return replace(migration, text=with_line_ends(migration.text, "\r\n"))


def _migrated(text: str, rules: Sequence[Rule], options: Options) -> Migration:
    """The migration, without the rewrites after which a second run would not do the same."""
    kept = Kept()
    for _ in range(MAX_ROUNDS):
        run = _Run(text, rules, options, kept)
        migration = run.migrate()
        if run.is_unstable and run.is_dated_beside:
            # The other files say how old this one is only until they are migrated themselves.
            options = options.by_itself()
        elif run.kept is kept:
            break
        else:
            kept = run.kept
    return migration


def facts_of(text: str, options: Options = _DEFAULTS) -> Facts:
    """The facts of a module as the rules see it first.

    Args:
        text: the module; syntax that only older Pythons take is repaired.
        options: settings.

    Raises:
        SyntaxError: it is not valid Python.
    """
    repaired, _ = repair_async(text)
    try:
        return _facts(repaired, options.era, options, LineMap(repaired))
    except FailedError as failure:
        error = SyntaxError(str(failure))
        error.lineno = failure.error.line
        raise error from None


def _facts(text: str, era: Era | None, options: Options, lines: LineMap) -> Facts:
    names = None if options.files is None else options.files.own_names(text)
    facts = WholeFacts(
        parse(text, after_edit=bool(lines.touched)) if names is None else names.tree,
        text,
        era,
        options.device_name,
        lines.touched,
        options.imported_elsewhere,
        options.used_elsewhere,
        options.mentioned_elsewhere,
        options.files,
        names=names,
        required=options.required,
        beside=options.beside,
        origin=lambda line: options.read_at(lines.origin(line)),
        as_read=lines.as_read,
        had_variable=lines.had_variable,
        ages=options.ages,
        attribute_read=options.attribute_read,
        needed=options.needed,
    )
    if options.files is not None and names is None and not lines.touched:
        options.files.keep_names(text, facts.names)
    return facts


class _UnstableError(FailedError):
    """A second run would change the result again."""

    def __init__(self, error: FileError, kept: Kept) -> None:
        super().__init__(error)
        self.kept = kept


@record
class _Before:
    """What later rounds ask about the text as it was before the first rewrite."""

    era: Era
    used: frozenset[str]


class _Run:
    """The rounds of one text."""

    def __init__(self, text: str, rules: Sequence[Rule], options: Options, kept: Kept) -> None:
        self.original = text
        self.kept = kept
        """What is not rewritten; once a run failed, what another one should not rewrite."""
        self.rules = [*rules]
        self.options = options
        self.errors: list[FileError] = []
        self.findings: list[Finding] = []
        self.refused: dict[tuple[int, str], str] = {}
        self.torn: dict[str, str] = {}
        """Why the groups are left of which one part cannot be rewritten."""
        self.passed: list[Finding] = []
        self.of_age: list[Question] = []
        """What was asked last and hangs on how old the file is."""
        self.asked: Sequence[Rule] | None = None
        """The rules that may still find something; None: all."""
        self.is_partial = False
        self.is_unstable = False
        self.facts: Facts | None = None
        self.before: _Before | None = None
        self.lines = LineMap(text)
        self.heeded: set[Heeded] = set()
        """The comments that kept something away."""
        self.rewrites = Rewrites()

    @property
    def is_dated_beside(self) -> bool:
        """Whether only other files show how old this one is."""
        return self.before is not None and self.before.era.is_shown_beside

    def migrate(self) -> Migration:
        try:
            return self._migrate()
        except FailedError as failure:
            if isinstance(failure, _UnstableError):
                self.is_unstable = True
                self.kept = failure.kept
            return Migration(self.original, errors=(*self.errors, failure.error))
        finally:
            self._release()

    def _migrate(self) -> Migration:
        self.findings += unknown_rules(self.original)
        text = self._repair(self.original)
        if not is_candidate(text, self.rules):
            # Parsed all the same: a file that nobody can read is never passed over in silence.
            parse(text)
            text = self._without_idle_repairs(text)
            return Migration(text, (*self.findings, *self._unused()))
        facts = self._facts(text, self.options.era)
        if "torch" in self.original:
            # Other files are read for names of other libraries only, and not once these are mended.
            self.findings += left_of_python2(text, facts)
        self.findings += lists_of_python2(facts)
        for _ in range(MAX_ROUNDS):
            founds = self._find(facts, rules=self.asked)
            self.refused, self.torn = {}, {}
            applied = self._round(facts, text, founds)
            if applied is None and self.options.later is None:
                break
            if self.before is None:
                self.before = _Before(facts.limited_era, used_names(facts))
                self.rules += _TIDYING
            if applied is None:
                assert self.options.later is not None
                self.options, self.asked = self.options.later, None
                facts = self._look_again(text, self.before)
                continue
            self._note_fixed(applied.founds)
            self._tell()
            self.asked = self._to_ask_after(applied, founds)
            text = self._moved(text, applied)
            facts = self._look_again(text, self.before)
            # At once: to look for anything else between the two would be for nothing.
            takes_wrappers = any(rule.code == "TP101" for rule in self.rules)
            orphans = orphaned_imports(self.before.used, facts, takes_wrappers)
            applied = self._apply(facts, text, orphans)
            if applied is not None:
                text = self._moved(text, applied)
                facts = self._look_again(text, self.before)
        else:
            raise FailedError(
                FileError("unstable", f"not finished after {MAX_ROUNDS} rounds; left as it is")
            )
        # What was refused would be found again, and with it what else hangs on the file's age.
        if self.before is not None and not self.is_partial:
            self._check_stable(facts, text, founds)
        self._note_left(founds)
        self.findings += self._unused()
        text = self._without_idle_repairs(text)
        findings = tuple(merged(sorted(set(self.findings))))
        # Files without anything to say are not dated: that may need values and other files.
        dated = self.before or facts
        era = dated.era if findings else Era()
        passed = tuple(sorted(set(self.passed)))
        return Migration(text, findings, tuple(self.errors), era, passed=passed)

    def _round(self, facts: Facts, text: str, founds: Sequence[Found]) -> Applied | None:
        """What the rules rewrite; else what they left to be tidied up."""
        wanted = self._wanted(founds)
        named = [f for f in wanted if f.rule.code]
        covering = [f for f in wanted if f.rule.covers_functions]
        settled = without(named, waiting(named, facts, covering))
        applied = self._apply(facts, text, settled)
        if applied is None and len(settled) < len(named):
            applied = self._apply(facts, text, covering) or self._apply(facts, text, named)
        if applied is None:
            # Tidied up last: rules still compare what others left behind.
            applied = self._apply(facts, text, [f for f in wanted if not f.rule.code])
        return narrowed(facts, text, self.lines) if applied is None else applied

    def _to_ask_after(self, applied: Applied, founds: Sequence[Found]) -> list[Rule] | None:
        """The rules to ask once this is applied; None where it may matter to any of them.

        What only tidies up changes no value, and what spells the same otherwise does not either,
        so that no other rule finds more. What was left is said again all the same: it may name
        what was tidied up. Where gradients are off in more of a function there may be more to find,
        and where a branch went, what is left may be all that its test decides.
        """
        rules = [found.rule for found in applied.founds]
        if any(r.covers_functions or (r.code and not r.is_spelling) for r in rules):
            return None
        if any(isinstance(f.region, ast.If) and f.region.orelse for f in applied.founds):
            return None
        found_before = {found.rule.code for found in founds}
        passed = {finding.code for finding in self.passed}
        return [rule for rule in self.rules if rule.code in {"", *found_before, *passed}]

    def _moved(self, text: str, applied: Applied) -> str:
        """The text after a round, once it is noted where its lines come from."""
        self.rewrites.note(text, applied, self.lines.origin)
        self.lines.move(text, applied.text, applied.edits)
        return applied.text

    def _look_again(self, text: str, before: _Before) -> Facts:
        self._release()
        return self._facts(text, before.era)

    def _repair(self, text: str) -> str:
        repairing = next((r for r in self.rules if r.code == MENDS), self.options.mends)
        if repairing is None:
            return text
        repaired, repairs = repair_async(text)
        if not all(self.options.accepts(repair.line, repairing.code) for repair in repairs):
            return text
        for repair in repairs:
            self.findings.append(
                Finding(
                    repair.line,
                    repair.column,
                    repairing.code,
                    repairing.name,
                    f"async is a keyword since Python 3.7: here it is {repair.new}"
                    if repair.is_own
                    else repairing.message,
                    repairing.numerics,
                    True,
                    extent=(0, len("async")),
                    reason=Reason.FAILS,
                )
            )
        return repaired

    def _without_idle_repairs(self, text: str) -> str:
        """The text as it was, where nothing came of repairs that are for other rules only."""
        mends = self.options.mends
        if mends is None or any(f.fixed and f.code != mends.code for f in self.findings):
            return text
        self.findings = [f for f in self.findings if f.code != mends.code]
        return self.original

    def _facts(self, text: str, era: Era | None) -> Facts:
        self.facts = _facts(text, era, self.options, self.lines)
        return self.facts

    def _release(self) -> None:
        if self.facts is not None:
            self.facts.release()
            self.facts = None

    def _heed(self, line: int, word: str | None) -> None:
        self.heeded.add((self.lines.origin(line), word))

    def _unused(self) -> Iterator[Finding]:
        """What is said of comments that keep nothing away."""
        if "torchfix:" in self.original.lower() and not self.errors:
            enabled = self.options.enabled()
            if enabled:
                yield from unused_comments(self.original, self.heeded, enabled)

    def _find(
        self,
        facts: Facts,
        questions: Iterable[Question] | None = None,
        rules: Sequence[Rule] | None = None,
    ) -> list[Found]:
        self.passed, self.of_age = [], []
        asked = self.rules if rules is None else [rule for rule in rules if rule in self.rules]
        founds = each_once(find(facts, asked, self.errors, questions, self.of_age))
        if not founds:
            return []
        suppressions = Suppressions(facts.lines, self._heed)
        result = []
        hidden_groups = set()
        for found in founds:
            rule, node = found.rule, found.node
            suppressed = suppressions and suppressions.hides(
                rule.code, rule.name, facts.statement(node), node
            )
            chosen = not rule.is_for_any_version and is_version_checked(facts, node)
            if found.group is None and (
                is_unreached(node, facts)
                if found.region is None
                else never_runs(facts.inference, node)
            ):
                continue
            if suppressed or chosen:
                hidden_groups.add(found.group)
                self._note_passed(found, _SUPPRESSED if suppressed else _VERSION_CHECKED)
            else:
                result.append(found)
        together = [f for f in result if f.group is None or f.group not in hidden_groups]
        return [f for f in with_reasons(together) if self._is_reason_enough(f)]

    def _is_reason_enough(self, found: Found) -> bool:
        """Whether a rewrite is made for its reason; what tidies up behind others has none."""
        if found.region is None or not found.rule.code:
            return True
        return found.reason in self.options.reasons

    def _wanted(self, founds: Sequence[Found]) -> list[Found]:
        """What is to be rewritten, without what only makes sense with something refused."""
        refused = [f for f in founds if not self._is_accepted(f)]
        for found in refused:
            self.is_partial = self.is_partial or self._key(found) not in self.kept.reasons
        torn = {f.group for f in refused} - {None}
        return [
            f
            for f in founds
            if f.region is not None
            and f.numerics in self.options.numerics
            and self._is_accepted(f)
            and f.group not in torn
        ]

    def _is_accepted(self, found: Found) -> bool:
        if not found.rule.code or found.region is None:
            return True
        key = self._key(found)
        return key not in self.kept.reasons and self.options.accepts(*key)

    def _key(self, found: Found) -> Key:
        return self.lines.origin(getattr(found.node, "lineno", 1)), found.rule.code

    def _apply(self, facts: Facts, text: str, founds: list[Found]) -> Applied | None:
        if not founds:
            return None
        try:
            applied = Regions(facts, text, self.lines).apply(founds)
        except RewriteError as error:
            rule = error.found.rule
            self.rules.remove(rule)
            self.errors.append(rule_failure(rule, error.found.node, str(error)))
            return self._apply(facts, text, [f for f in founds if f.rule is not rule])
        for found, reason in applied.refused:
            self._refuse(found, reason)
        in_fstrings = [f for f in applied.founds if stands_in_fstring(f, facts)]
        if in_fstrings and not is_valid(applied.text):
            # The rest of the file need not wait for what is the hardest to get right.
            for found in in_fstrings:
                self._refuse(found, "the f-string around it would break")
            return self._apply(facts, text, without(founds, in_fstrings))
        return applied if applied.founds else None

    def _refuse(self, found: Found, reason: str) -> None:
        self.refused[(getattr(found.node, "lineno", 0), found.rule.code)] = reason
        if found.group is not None:
            self.torn[found.group] = reason

    def _note_fixed(self, founds: Iterable[Found]) -> None:
        for found in founds:
            if found.rule.code:
                self.findings.append(self._finding(found, fixed=True))

    def _tell(self) -> None:
        """Say what is rewritten so far to those who do not want to wait for the rest."""
        if self.options.noted is not None:
            # What mends for others is said only where something of theirs stays as well.
            mends = None if self.options.mends is None else self.options.mends.code
            found = {f for f in self.findings if f.fixed and f.code != mends}
            self.options.noted(tuple(sorted(found)))

    def _note_left(self, founds: Iterable[Found]) -> None:
        for found in founds:
            if not found.rule.code:
                continue
            reason = self.refused.get((getattr(found.node, "lineno", 0), found.rule.code))
            if reason is None and found.group is not None:
                reason = self.torn.get(found.group)
            reason = self._reason_left(found, reason)
            if found.otherwise is None and reason in (None, TOO_EARLY):
                continue
            finding = self._finding(found, fixed=False, reason=reason)
            self.findings.append(finding)

    def _note_passed(self, found: Found, reason: str) -> None:
        if found.rule.code:
            self.passed.append(self._finding(found, fixed=False, reason=reason))

    def _reason_left(self, found: Found, reason: str | None) -> str | None:
        """Why a place is left: what is known already, or what was asked for; None if neither."""
        if reason is None and found.region is not None:
            if found.numerics not in self.options.numerics:
                return "it changes numbers; run without --safe"
            if not self._is_accepted(found):
                return self.kept.reasons.get(self._key(found), "it was refused")
        return reason

    def _finding(self, found: Found, fixed: bool, reason: str | None = None) -> Finding:
        line = getattr(found.node, "lineno", 1)
        column = 1 if self.facts is None else self.facts.column(found.node)
        reason = reason if fixed else self._reason_left(found, reason)
        message, numerics = found.message, found.numerics
        if reason is not None and not (found.otherwise and reason == TOO_EARLY):
            message = f"{message} (left alone: {reason})"
        elif found.otherwise and not fixed:
            message, numerics = found.otherwise, Numerics.ADVICE
        elif found.group is not None and found.region is not None and not fixed:
            message = f"{message} (left alone: {_TORN})"
        return Finding(
            self.lines.origin(line),
            column,
            found.rule.code,
            found.rule.name,
            message,
            numerics,
            fixed,
            found.group,
            found.rule.numerics is Numerics.ADVICE and not found.fails,
            rank_of(numerics, found.rule.numerics, found.fails, found.reason),
            None if self.facts is None else extent_of(found.node, self.facts, self.lines),
            tuple(sorted(found.moves)),
            None if found.region is None else found.reason,
            found.loses,
        )

    def _check_stable(self, facts: Facts, text: str, founds: Sequence[Found]) -> None:
        """Refuse a result that a second run would change.

        The last round found nothing in the same text; a second run differs from it only in what
        dates the file, because the rewrites may have taken that away, and no note says it.
        """
        if self.options.keeps_ages:
            return
        fresh = facts.without_history(self.options.era)
        if fresh.era.newest == facts.era.newest:
            return
        # What was left may still be torn, or hidden, by what hangs on the age.
        is_asked = self.asked is None and not self.passed
        is_clear = is_asked and all(found.region is None for found in founds)
        wanted = self._wanted(self._find(fresh, self.of_age if is_clear else None))
        if not wanted:
            return
        again = Regions(fresh, text).apply(wanted)
        if again.founds:
            codes = sorted({f.rule.code for f in again.founds})
            line = self.lines.origin(getattr(again.founds[0].node, "lineno", 1))
            raise _UnstableError(
                FileError(
                    "unstable",
                    f"a second run would change it again ({', '.join(codes)}); left as it is",
                    line,
                ),
                self._kept(fresh, line),
            )

    def _kept(self, after: Facts, line: int) -> Kept:
        """What another run should not rewrite, so that nothing in a line is found after it."""
        before = facts_of(self.original, self.options)
        found = dating(before, after, self.rewrites, line)
        before.release()
        reasons = {**self.kept.reasons, **found}
        return self.kept if reasons.keys() == self.kept.reasons.keys() else Kept(reasons)
