"""Whether a text that Python 3 can parse was written for Python 2 alone: it calls ``xrange``.

So does what asks a dict for ``iteritems()``; of what is not known, that may be another library's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import replace

from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.unreached import is_unreached
from torchfix_codemods.finding import Finding, Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.project.paths import may_have_module
from torchfix_codemods.project.python2_names import (
    GONE,
    GONE_MODULES,
    GONE_OF_DICTS,
    GONE_OF_MODULES,
    OF_MODULES,
)
from torchfix_codemods.remarks import ONLY_PYTHON_2

#: Those of which a project may have one of its own, as Python 3 calls them.
_RENAMED_MODULES = {"ConfigParser": "configparser", "HTMLParser": "html.parser", "Queue": "queue"}
_ANY_GONE = lazy_pattern(
    rf"\b(?:{'|'.join(sorted(GONE | GONE_OF_DICTS | GONE_MODULES | OF_MODULES))})\b"
)
_DICTS = frozenset(f"collections.{name}" for name in ("Counter", "OrderedDict", "defaultdict"))
_DICTS_OF_OBJECTS = frozenset({"__dict__", "_buffers", "_modules", "_parameters"})
_TRANSLATED = (
    "translate() of a text takes one argument on Python 3: "
    'write .translate(str.maketrans("", "", {}))'
)
#: What some of these are called today, with the same arguments.
_NAMES_TODAY = {
    "__builtin__": "builtins",
    "basestring": "str",
    "cPickle": "pickle",
    "cookielib": "http.cookiejar",
    "copy_reg": "copyreg",
    "httplib": "http.client",
    "itertools.ifilter": "filter",
    "itertools.ifilterfalse": "itertools.filterfalse",
    "itertools.imap": "map",
    "itertools.izip": "zip",
    "itertools.izip_longest": "itertools.zip_longest",
    "iteritems()": "items()",
    "iterkeys()": "keys()",
    "itervalues()": "values()",
    "os.getcwdu": "os.getcwd",
    "raw_input": "input",
    "reload": "importlib.reload",
    "sys.maxint": "sys.maxsize",
    "Tkinter": "tkinter",
    "unichr": "chr",
    "unicode": "str",
    "urllib.quote": "urllib.parse.quote",
    "urllib.unquote": "urllib.parse.unquote",
    "urllib.urlencode": "urllib.parse.urlencode",
    "urllib.urlopen": "urllib.request.urlopen",
    "urllib.urlretrieve": "urllib.request.urlretrieve",
    "urlparse": "urllib.parse",
    "viewitems()": "items()",
    "viewkeys()": "keys()",
    "viewvalues()": "values()",
    "xmlrpclib": "xmlrpc.client",
    "xrange": "range",
}
_CONVERTS = ": --py2 converts the file"
_NONE = f"Python 3 has no {{}}{_CONVERTS}"
_RENAMED = "Python 3 has no {}: its name is {} there"
_NO_REDUCE = "Python 3 has no reduce: write `from functools import reduce` above"
_ABOUT_VERSION = lazy_pattern(
    r"version|(?<![a-z])py(?:thon)?_?(?:2|3|major)|six|hasattr|__builtin", re.IGNORECASE
)


def is_only_python2(text: str, tree: ast.Module) -> bool:
    """Whether a file uses what Python 3 took away: a name, or a method of a dict.

    Args:
        text: the file.
        tree: the same, parsed.
    """
    return _ANY_GONE.search(text) is not None and any(True for _ in _gone(Names(tree)))


def left_of_python2(text: str, facts: Facts) -> Iterator[Finding]:
    """A finding at the first place of a file that only Python 2 can run, where anything runs it.

    Args:
        text: a module that nothing converted.
        facts: of the same.
    """
    names = facts.names
    for node, word in _gone(names):
        if not is_unreached(node, facts):
            yield _told(node, _NONE.format(word))
            break
    else:
        yield from _renamed(facts)
    for call in names.method_calls("translate") if "translate" in text else ():
        if _deletes_letters(names, call) and not is_unreached(call, facts):
            yield _told(call, _TRANSLATED.format(ast.unparse(call.args[1])))


def _renamed(facts: Facts) -> Iterator[Finding]:
    """The first import of a module that has another name today, and is none of the project."""
    if facts.files is None:
        return
    for node in _imports(facts.names):
        for module in sorted(_RENAMED_MODULES.keys() & set(_modules(node))):
            if is_guarded(facts.names, node) or is_unreached(node, facts):
                continue
            if not may_have_module(facts.files.path.parent, module):
                yield _told(node, _RENAMED.format(module, _RENAMED_MODULES[module]))
                return


def of_piece(finding: Finding) -> Finding:
    """What is said of a cell, or a block: of those, ``--py2`` leaves what Python 3 can parse."""
    if finding.code != ONLY_PYTHON_2.code:
        return finding
    if finding.message == _NONE.format("reduce"):
        # One line serves all the cells below it.
        return replace(finding, message=_NO_REDUCE)
    message = finding.message.removesuffix(_CONVERTS)
    word = message.removeprefix(_NONE.removesuffix(_CONVERTS).format(""))
    if message != finding.message and word in _NAMES_TODAY:
        message = _RENAMED.format(word, _NAMES_TODAY[word])
    return replace(finding, message=message)


def _told(node: ast.expr | ast.stmt, said: str) -> Finding:
    remark = ONLY_PYTHON_2
    place = node.lineno, node.col_offset + 1
    return Finding(*place, remark.code, remark.name, said, Numerics.ADVICE, False)


def _deletes_letters(names: Names, call: ast.Call) -> bool:
    """``text.translate(None, ".,")``, where neither a text nor bytes of Python 3 take a text."""
    if len(call.args) != 2 or call.keywords or is_guarded(names, call):
        return False
    table, letters = call.args
    if isinstance(letters, ast.Call) and isinstance(letters.func, ast.Attribute):
        letters = letters.func.value if letters.func.attr == "join" else letters
    is_text = isinstance(letters, ast.Constant) and isinstance(letters.value, str)
    is_text = is_text or (names.name(letters) or "").startswith("string.")
    return is_text and isinstance(table, ast.Constant) and table.value is None


def _gone(names: Names) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    """The modules, names and methods that Python 3 does not have, and how they are called."""
    for statement in _imports(names):
        for module in _modules(statement):
            if module in GONE_MODULES and not is_guarded(names, statement):
                yield statement, module
    for place, taken in _taken_from_modules(names):
        if taken in GONE_OF_MODULES and not is_guarded(names, place):
            yield place, taken
    if names.unknown_star_imports:
        return
    if any(map(names.scopes_using, GONE)):
        for node in names.nodes.get(ast.Name, ()):
            assert isinstance(node, ast.Name)
            if names.builtin(node) in GONE and not is_guarded(names, node):
                yield node, node.id
    methods = [method for method in sorted(GONE_OF_DICTS) if names.method_calls(method)]
    if not methods or _prints_as_python3(names):
        return
    for method in methods:
        for call in names.method_calls(method):
            assert isinstance(call.func, ast.Attribute)
            if is_dict(names, call.func.value) and not is_guarded(names, call):
                yield call, f"{method}()"


def _imports(names: Names) -> Iterator[ast.Import | ast.ImportFrom]:
    for node in (*names.nodes.get(ast.Import, ()), *names.nodes.get(ast.ImportFrom, ())):
        assert isinstance(node, (ast.Import, ast.ImportFrom))
        yield node


def _modules(node: ast.Import | ast.ImportFrom) -> list[str | None]:
    """What an import takes, or takes something from."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if not node.level else []


def _taken_from_modules(names: Names) -> Iterator[tuple[ast.expr | ast.stmt, str | None]]:
    """What a file takes from modules: ``from itertools import izip``, ``itertools.izip``."""
    for node in names.nodes.get(ast.ImportFrom, ()):
        if isinstance(node, ast.ImportFrom) and not node.level:
            yield from ((node, f"{node.module}.{alias.name}") for alias in node.names)
    for word in sorted(OF_MODULES):
        yield from ((node, names.name(node)) for node in names.attributes(word))


def _prints_as_python3(names: Names) -> bool:
    """``print("mean:", mean)``: a tuple in Python 2, so its dicts may just never be asked."""
    future = names.module.bindings.get("print_function", ())
    calls = names.nodes.get(ast.Call, ())
    return not any(b.qualified == "__future__.print_function" for b in future) and any(
        isinstance(call, ast.Call)
        and names.builtin(call.func) == "print"
        and (len(call.args) > 1 or bool(call.keywords))
        for call in calls
    )


def is_dict(names: Names, node: ast.expr) -> bool:
    """Whether an expression is certainly a dict: all that its name is bound to.

    Args:
        names: of its module.
        node: the expression.
    """
    if isinstance(node, ast.Name):
        found = names.scope_of(node).lookup(node.id)
        return found is not None and all(_is_bound_to_dict(names, b) for b in found[1])
    if isinstance(node, ast.Attribute) and node.attr not in _DICTS_OF_OBJECTS:
        stores = [n for n in names.attributes(node.attr) if not isinstance(n.ctx, ast.Load)]
        of_self = all(
            isinstance(n.value, ast.Name) and n.value.id == "self" for n in (node, *stores)
        )
        return of_self and bool(stores) and all(_stores_dict(names, store) for store in stores)
    return _makes_dict(names, node)


def _makes_dict(names: Names, node: ast.expr | None) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in _DICTS_OF_OBJECTS
    if not isinstance(node, ast.Call):
        return isinstance(node, (ast.Dict, ast.DictComp))
    if isinstance(node.func, ast.Attribute) and node.func.attr == "state_dict":
        return "state_dict" not in method_names(names)
    return names.builtin(node.func) == "dict" or names.name(node.func) in _DICTS


def _is_bound_to_dict(names: Names, binding: Binding) -> bool:
    if isinstance(binding.node, ast.arg):
        arguments = names.parents.get(binding.node)
        return isinstance(arguments, ast.arguments) and arguments.kwarg is binding.node
    return binding.kind == "assign" and _makes_dict(names, binding.written())


def _stores_dict(names: Names, target: ast.Attribute) -> bool:
    statement = names.parents.get(target)
    return isinstance(statement, ast.Assign) and _makes_dict(names, statement.value)


def is_guarded(names: Names, node: ast.AST) -> bool:
    """Whether a place is tried, or chosen by the version of Python.

    Args:
        names: of its module.
        node: the place.
    """
    for around in names.ancestors(node):
        if isinstance(around, ast.Try) and around.handlers:
            return True
        if isinstance(around, (ast.If, ast.IfExp)) and asks_for_version(around.test):
            return True
    return False


def asks_for_version(test: ast.expr) -> bool:
    """Whether a condition may choose by the version of Python: ``sys.version_info[0] == 2``."""
    return _ABOUT_VERSION.search(ast.unparse(test)) is not None
