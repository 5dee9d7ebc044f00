"""Asks each rule about the nodes that it is interested in, and no more."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias, cast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import FileError
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.text.stack import is_deep
from torchfix_codemods.text.words import words_in

#: The nodes that rules are asked about by a word: others they get all of, but of constants only
#: texts with a dot, which may name something.
BY_WORD = (ast.Call, ast.Attribute, ast.Name, ast.Import, ast.ImportFrom)


Finder: TypeAlias = Callable[[Any, Facts], Iterator[Found]]
Finders: TypeAlias = list[tuple[Rule, Finder]]

Question: TypeAlias = tuple[ast.AST, Finders]
"""A node, and the methods of rules that are asked about it."""


def is_candidate(text: str, rules: Sequence[Rule]) -> bool:
    """Whether a word of any rule occurs; without one there is nothing to look for."""
    return bool(_rules_to_ask(rules, _words_in(text, rules)))


def find(
    facts: Facts,
    rules: Sequence[Rule],
    errors: list[FileError],
    questions: Iterable[Question] | None = None,
    of_age: list[Question] | None = None,
) -> list[Found]:
    """Ask every rule about the nodes it is interested in.

    A rule that raises is named in ``errors`` and not asked again.

    Args:
        facts: the facts of the file.
        rules: the rules to ask.
        errors: gets an error for each rule that raises.
        questions: what is asked instead, where not all rules are.
        of_age: gets the questions whose answers hang on the age of the file, or on what was
            rewritten in it.
    """
    failed: set[str] = set()
    aged: list[Question] = [] if of_age is None else of_age
    founds: list[Found] = []
    for node, asked in _questions(facts, rules) if questions is None else questions:
        for rule, finder in asked:
            if rule.code in failed:
                continue
            before = facts.asked_for_age
            try:
                founds += finder(node, facts)
            except Exception as error:
                if isinstance(error, RecursionError) and not is_deep():
                    raise
                failed.add(rule.code)
                errors.append(rule_failure(rule, node, f"{type(error).__name__}: {error}"))
                aged.append((node, [(rule, finder)]))
            else:
                if facts.asked_for_age != before:
                    aged.append((node, [(rule, finder)]))
    return founds


def looks(facts: Facts, rules: Sequence[Rule]) -> Iterator[tuple[ast.AST, Rule, list[Found]]]:
    """Every question that :func:`find` asks, with the answer; a rule that raises gives none."""
    for node, asked in _questions(facts, rules):
        for rule, finder in asked:
            try:
                yield node, rule, list(finder(node, facts))
            except Exception as error:
                if isinstance(error, RecursionError) and not is_deep():
                    raise
                yield node, rule, []


def _questions(facts: Facts, rules: Sequence[Rule]) -> Iterator[Question]:
    """The nodes of a file that rules are interested in, each with the finders to ask about it."""
    present = _words_in(facts.text, rules)
    asked = _rules_to_ask(rules, present)
    aliases = _aliases(facts, present) if asked else {}
    left_out = {rule for rule in rules if rule.beside and rule not in asked}
    for cls, all_finders, of_word in _finders(tuple(rules)):
        if cls not in facts.names.nodes:
            continue
        if issubclass(cls, BY_WORD):
            by_word = _by_word(all_finders, of_word, left_out, present, aliases)
            if by_word:
                yield from _pairs(_nodes(facts, cls), by_word)
        elif finders := [entry for entry in all_finders if entry[0] in asked]:
            yield from ((node, finders) for node in _nodes(facts, cls))


def _nodes(facts: Facts, cls: type[ast.AST]) -> Sequence[ast.AST]:
    nodes = facts.names.nodes.get(cls, ())
    if cls is ast.Constant:
        return [node for node in nodes if _is_dotted_text(node, facts)]
    if cls in (ast.Import, ast.ImportFrom):
        return [node for node in nodes if not facts.names.imports_own(node)]
    return nodes


def _is_dotted_text(node: ast.AST, facts: Facts) -> bool:
    value = getattr(node, "value", None)
    return value.__class__ is str and "." in value and not facts.names.is_of_own(value)


def rule_failure(rule: Rule, node: ast.AST, reason: str) -> FileError:
    """The error that names a rule which raised."""
    message = f"{rule.code} {rule.name} failed: {reason.splitlines()[0] if reason else ''}"
    return FileError("rule", message, getattr(node, "lineno", None))


@functools.lru_cache(maxsize=16)
def _finders(rules: tuple[Rule, ...]) -> list[tuple[type[ast.AST], Finders, dict[str, Finders]]]:
    """The finders by the class of nodes that they are asked about, and by the words of their rules.

    Both are in the order of the rules.
    """
    table: dict[type[ast.AST], tuple[Finders, dict[str, Finders]]] = {}
    for rule in rules:
        for name in type(rule).finder_names():
            cls = getattr(ast, name.removeprefix("find_"))
            finders, of_word = table.setdefault(cls, ([], {}))
            entry = (rule, getattr(rule, name))
            finders.append(entry)
            for word in rule.words:
                of_word.setdefault(word, []).append(entry)
    return [(cls, *entries) for cls, entries in table.items()]


def _by_word(
    finders: Finders,
    of_word: dict[str, Finders],
    left_out: set[Rule],
    present: frozenset[str],
    aliases: dict[str, set[str]],
) -> dict[str, Finders]:
    """For each word of the text, aliases included, the finders to ask."""
    table = {word: of_word[word] for word in present & of_word.keys()}
    for local, originals in aliases.items():
        wanted = (originals | {local}) & present
        if not wanted.isdisjoint(of_word):
            table[local] = [entry for entry in finders if not wanted.isdisjoint(entry[0].words)]
    if left_out:
        table = {
            word: [entry for entry in entries if entry[0] not in left_out]
            for word, entries in table.items()
        }
    return {word: entries for word, entries in table.items() if entries}


def _pairs(
    nodes: Sequence[ast.AST], by_word: dict[str, Finders]
) -> Iterator[tuple[ast.AST, Finders]]:
    """Nodes of one class, each with the finders to ask about it."""
    # Names and attributes are most of a file: they are asked about without a call.
    if nodes and isinstance(nodes[0], ast.Name):
        uses = cast("Sequence[ast.Name]", nodes)
        yield from [(use, by_word[use.id]) for use in uses if use.id in by_word]
        return
    if nodes and isinstance(nodes[0], ast.Attribute):
        reads = cast("Sequence[ast.Attribute]", nodes)
        yield from [(read, by_word[read.attr]) for read in reads if read.attr in by_word]
        return
    for node in nodes:
        if isinstance(node, ast.Call) and not node.keywords:
            # ``cast[dtype](x)`` calls what it has under a key.
            function = node.func.value if isinstance(node.func, ast.Subscript) else node.func
            word = getattr(function, "attr", None) or getattr(function, "id", None)
            if word in by_word:
                yield node, by_word[word]
        else:
            asked = _asked(node, by_word)
            if asked:
                yield node, asked


def _asked(node: ast.AST, by_word: dict[str, Finders]) -> Finders:
    """The finders to ask about a call or an import."""
    words: list[str] = []
    if isinstance(node, ast.Call):
        words = [keyword.arg for keyword in node.keywords if keyword.arg]
        if isinstance(node.func, ast.Attribute):
            words.append(node.func.attr)
        elif isinstance(node.func, ast.Name):
            words.append(node.func.id)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        words = [part for alias in node.names for part in alias.name.split(".")]
        if isinstance(node, ast.ImportFrom) and node.module:
            words += node.module.split(".")
    found = [entry for word in words for entry in by_word.get(word, ())]
    return found if len(found) < 2 else list(dict.fromkeys(found))


@functools.lru_cache(maxsize=4)
def _words_of(text: str) -> frozenset[bytes]:
    data = text.encode("utf-8", "surrogatepass")
    words = words_in(data)
    return words | {b")("} if b")(" in data else words


@functools.lru_cache(maxsize=16)
def _words_of_rules(rules: tuple[Rule, ...]) -> frozenset[bytes]:
    return frozenset(word.encode() for rule in rules for word in rule.words | rule.beside)


def _words_in(text: str, rules: Sequence[Rule]) -> frozenset[str]:
    """The words of the rules that occur in a text."""
    found = _words_of_rules(tuple(rules)) & _words_of(text)
    return frozenset(word.decode() for word in found)


@functools.lru_cache(maxsize=16)
def _rules_of_words(rules: tuple[Rule, ...]) -> dict[str, list[Rule]]:
    """The rules by their words; by "" those that have none."""
    table: dict[str, list[Rule]] = {"": []}
    for rule in rules:
        for word in rule.words or ("",):
            table.setdefault(word, []).append(rule)
    return table


def _rules_to_ask(rules: Sequence[Rule], present: frozenset[str]) -> set[Rule]:
    """The rules that a file with these words can hold something for."""
    of_word = _rules_of_words(tuple(rules))
    found = set(of_word[""]).union(*(of_word[word] for word in present & of_word.keys()))
    return {rule for rule in found if not (rule.beside and rule.beside.isdisjoint(present))}


def _aliases(facts: Facts, words: frozenset[str]) -> dict[str, set[str]]:
    """For each name the words that it stands for: ``Variable as V``, ``tanh = F.tanh``."""
    aliases: dict[str, set[str]] = {}
    for scope in facts.names.scopes.values():
        for local, bindings in scope.bindings.items():
            for binding in bindings:
                if binding.kind == "import":
                    original = (binding.qualified or "").rpartition(".")[2]
                elif isinstance(binding.value, ast.Attribute):
                    original = binding.value.attr
                elif isinstance(binding.value, ast.Name):
                    original = binding.value.id
                else:
                    continue
                if original != local and original in words:
                    aliases.setdefault(local, set()).add(original)
    return aliases
