"""What code asks of ``type(x)``: the class of a tensor tells neither dtype nor device any more."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.asked_class import asked_for_class
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import dtypes
from torchfix_codemods.facts.values.torch_api import LEGACY_TYPES, TENSOR_CLASSES
from torchfix_codemods.rules.devices.questions.gpu_types import CPU_TYPE_OF, SPARSE_TYPES
from torchfix_codemods.rules.questions.as_of_tensor import as_of_tensor

# ``torch.Tensor`` is the class of all tensors, and ``type(x)`` still gives it.
_OF_GPU = frozenset(CPU_TYPE_OF)
LEGACY = _OF_GPU.union(CPU_TYPE_OF.values())
# Each was a class, which type(x) gave; today only isinstance() tells one from another.
_GONE_CLASSES = LEGACY | SPARSE_TYPES
_OF_TENSORS = LEGACY | TENSOR_CLASSES | {VARIABLE}

_EQUALITIES = (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)
_MEMBERSHIPS = (ast.In, ast.NotIn)
#: Of unittest, nose and numpy.testing: each fails where its first two values are unlike.
SAY_EQUAL = frozenset(
    {"assertEqual", "assertEquals", "assertIs", "assert_equal", "assert_equals", "assert_is", "eq_"}
)
#: Both are part of ``<class 'torch.cuda.FloatTensor'>`` and of no class of the CPU.
_ON_GPU = ("cuda", "torch.cuda")


def asked_for_gpu(node: ast.Compare, facts: Facts) -> ast.expr | None:
    """``x`` of ``"cuda" in str(type(x))``, also of ``not in``."""
    if len(node.ops) != 1 or not isinstance(node.ops[0], _MEMBERSHIPS):
        return None
    text = node.comparators[0]
    if constant(node.left) not in _ON_GPU:
        return None
    if isinstance(text, ast.Call) and isinstance(text.func, ast.Name) and len(text.args) == 1:
        is_text = facts.names.builtin(text.func) in ("str", "repr")
        return asked_for_class(facts.names, text.args[0]) if is_text and not text.keywords else None
    if isinstance(text, ast.Attribute) and text.attr == "__module__":
        return asked_for_class(facts.names, text.value)
    return None


def asked_for_types(node: ast.Compare, facts: Facts) -> tuple[ast.expr, ast.expr] | None:
    """``x`` and the classes of ``type(x) == torch.LongTensor``, where it cannot be true any more.

    Also of ``is``, ``!=`` and ``in [torch.LongTensor, Variable]``.
    """
    if len(node.ops) != 1 or not isinstance(node.ops[0], (*_EQUALITIES, *_MEMBERSHIPS)):
        return None
    tensor, classes = asked_for_class(facts.names, node.left), node.comparators[0]
    named = [classes]
    if isinstance(node.ops[0], _MEMBERSHIPS):
        named = list(classes.elts) if isinstance(classes, (ast.Tuple, ast.List)) else []
    names = {facts.name(name) for name in named}
    if tensor is None or not names & _GONE_CLASSES or not names <= _GONE_CLASSES | {VARIABLE}:
        return None
    return tensor, ast.Tuple(named, ast.Load()) if isinstance(classes, ast.List) else classes


def asserted_type(call: ast.Call, facts: Facts) -> tuple[ast.expr, ast.expr] | None:
    """``x`` and the class of ``eq_(type(x), torch.LongTensor)``, which always fails today."""
    if last_name(call.func) not in SAY_EQUAL or len(call.args) < 2:
        return None
    for asked, cls in (call.args[:2], call.args[1::-1]):
        tensor = asked_for_class(facts.names, asked)
        if tensor is not None and facts.name(cls) in _GONE_CLASSES:
            return tensor, cls
    return None


def dtype_says_it(node: ast.Compare, facts: Facts) -> bool:
    """Whether ``x.dtype == torch.float32`` beside ``type(x) == torch.cuda.FloatTensor`` says it.

    Args:
        node: what asks for the types, a part of ``A or B``.
        facts: the facts of its file.
    """
    asked, either = asked_for_types(node, facts), facts.parent(node)
    if asked is None or not (isinstance(either, ast.BoolOp) and isinstance(either.op, ast.Or)):
        return False
    classes = asked[1].elts if isinstance(asked[1], ast.Tuple) else [asked[1]]
    names = {(facts.name(cls) or "").rpartition(".")[2] for cls in classes}
    dtype = f"{ast.unparse(asked[0])}.dtype"
    said = {
        dtypes.named(facts.name(other.comparators[0]))
        for other in either.values
        if isinstance(other, ast.Compare) and isinstance(other.ops[0], (ast.Eq, ast.Is))
        if ast.unparse(other.left) == dtype
    }
    return {LEGACY_TYPES.get(name) for name in names} <= said - {None}


def is_said_beside(node: ast.Compare, facts: Facts) -> bool:
    """Whether nothing is to be said of a part of ``A or B``.

    A part left of it asks for the type of the same tensor, or one is true of every tensor today:
    ``type(x) == Variable``.
    """
    asked, either = asked_for_types(node, facts), facts.parent(node)
    if asked is None or not isinstance(either, ast.BoolOp):
        return False
    subject = ast.unparse(asked[0])
    if isinstance(either.op, ast.Or) and any(_takes_all(p, subject, facts) for p in either.values):
        return True
    left = either.values[: either.values.index(node)]
    others = [asked_for_types(other, facts) for other in left if isinstance(other, ast.Compare)]
    return any(other and ast.unparse(other[0]) == ast.unparse(asked[0]) for other in others)


def all_asked(node: ast.Compare, facts: Facts) -> ast.expr:
    """The classes that all parts of ``type(x) == A or type(x) == B`` ask for, as one says them."""
    asked, either = asked_for_types(node, facts), facts.parent(node)
    assert asked is not None
    if not (isinstance(either, ast.BoolOp) and isinstance(either.op, ast.Or)):
        return asked[1]
    parts = [asked_for_types(p, facts) for p in either.values if isinstance(p, ast.Compare)]
    classes = [p[1] for p in parts if p and ast.unparse(p[0]) == ast.unparse(asked[0])]
    if len(classes) == 1:
        return asked[1]
    return ast.Tuple(
        [c for each in classes for c in (each.elts if isinstance(each, ast.Tuple) else [each])],
        ast.Load(),
    )


def is_never_reached(node: ast.AST, facts: Facts) -> bool:
    """Whether a branch above takes every tensor that one around ``node`` is for.

    ``elif torch.is_tensor(x)`` below ``if isinstance(x, Variable)``, which today is true of all, or
    ``elif isinstance(x, Variable)`` below ``if isinstance(x, (torch.Tensor, np.ndarray))``.
    """
    child = node
    for branch in facts.names.ancestors(node):
        if isinstance(branch, ast.If) and child in branch.body:
            subject, above, lower = _asked_subject(branch.test, facts), facts.parent(branch), branch
            is_of_tensors = subject is not None and subject[1] in _OF_TENSORS
            while subject and isinstance(above, ast.If) and above.orelse == [lower]:
                if is_of_tensors and _takes_all(above.test, subject[0], facts):
                    return True
                lower, above = above, facts.parent(above)
        child = branch
    return False


def taken_above(node: ast.Compare, facts: Facts) -> ast.If | None:
    """The branch that takes every tensor above ``elif type(x) == torch.FloatTensor``.

    ``type(x) == Variable`` does once it is ``isinstance(x, torch.Tensor)``, which it meant.

    Args:
        node: what asks for the types, the whole test or a part of ``A or B``.
        facts: the facts of its file.
    """
    asked, test = asked_for_types(node, facts), facts.parent(node)
    is_part = isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or)
    branch = facts.parent(test) if test is not None and is_part else test
    if asked is None or not isinstance(branch, ast.If):
        return None
    if branch.test is not (test if is_part else node):
        return None
    subject, above = ast.unparse(asked[0]), facts.parent(branch)
    while isinstance(above, ast.If) and above.orelse == [branch]:
        if _takes_all(above.test, subject, facts):
            return above
        branch, above = above, facts.parent(above)
    return None


def _takes_all(test: ast.expr, subject: str, facts: Facts) -> bool:
    if isinstance(test, ast.Compare) and isinstance(test.ops[0], (ast.Eq, ast.Is)):
        tensor = asked_for_class(facts.names, test.left)
        is_of_variables = facts.name(test.comparators[0]) == VARIABLE
        return is_of_variables and tensor is not None and ast.unparse(tensor) == subject
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        return any(_takes_all(value, subject, facts) for value in test.values)
    asked = _asked_subject(test, facts)
    if asked is None or asked[0] != subject or not isinstance(test, ast.Call):
        return False
    classes = test.args[-1]
    named = map(facts.name, classes.elts) if isinstance(classes, ast.Tuple) else [asked[1]]
    return any(name in TENSOR_CLASSES | {VARIABLE} for name in named)


def above_for_all(asked: ast.expr, facts: Facts) -> ast.If | None:
    """The branch for all tensors above ``elif isinstance(x, torch.cuda.FloatTensor)``.

    ``torch.Tensor`` was the type of floats on the CPU only, and is the class of all tensors today.

    Args:
        asked: the type of the GPU, or another one.
        facts: the facts of its file.

    Returns:
        the branch above; None also where both do the same, so that it is one which of them runs.
    """
    test = facts.parent(asked)
    asking = branch = None if test is None else facts.parent(test)
    if not isinstance(branch, ast.If) or branch.test is not test or facts.name(asked) not in LEGACY:
        return None
    subject = _asked_subject(branch.test, facts)
    above = facts.parent(branch)
    while subject is not None and isinstance(above, ast.If) and above.orelse == [branch]:
        asked_above = _asked_subject(above.test, facts)
        if asked_above in [(subject[0], tensor) for tensor in TENSOR_CLASSES]:
            is_same = _done(above, subject[0], facts) == _done(asking, subject[0], facts)
            return None if is_same else above
        branch, above = above, facts.parent(above)
    return None


def _done(branch: ast.AST | None, subject: str, facts: Facts) -> object:
    return as_of_tensor(branch.body, subject, facts) if isinstance(branch, ast.If) else None


def _asked_subject(test: ast.expr, facts: Facts) -> tuple[str, str | None] | None:
    """The code of ``x`` and the class of ``isinstance(x, Class)`` or ``torch.is_tensor(x)``."""
    if not isinstance(test, ast.Call) or test.keywords:
        return None
    if facts.name(test.func) == "torch.is_tensor" and len(test.args) == 1:
        return ast.unparse(test.args[0]), "torch.Tensor"
    if facts.names.builtin(test.func) == "isinstance" and len(test.args) == 2:
        return ast.unparse(test.args[0]), facts.name(test.args[1])
    return None


def tensor_of_gpu_type(test: ast.expr, facts: Facts) -> ast.expr | None:
    """``x`` of ``isinstance(x.data, torch.cuda.FloatTensor)``, where that is certainly a tensor."""
    if not isinstance(test, ast.Call) or facts.names.builtin(test.func) != "isinstance":
        return None
    if len(test.args) != 2:
        return None
    tensor, classes = test.args
    named = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    if not all((facts.name(name) or "") in _OF_GPU for name in named):
        return None
    if isinstance(tensor, ast.Attribute) and tensor.attr == "data":
        tensor = tensor.value
    return tensor if facts.is_tensor(tensor) else None
