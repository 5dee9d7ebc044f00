"""What a graph could come from into the result of a call: arguments, what a function returns."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable

from torchfix_codemods.facts.language import arguments
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, values_given
from torchfix_codemods.facts.language.asked_class import asked_for_class, is_given_size_of
from torchfix_codemods.facts.language.foreign import TRANSPARENT, calculates_with_arrays
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.in_place import is_given_numbers
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import gives_out
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.in_turn import may_be_replaced, returned_by
from torchfix_codemods.facts.paths.named import function_named, method_run, run_by_value
from torchfix_codemods.facts.paths.origins import sources, taken_from
from torchfix_codemods.facts.recording.inputs import recorded_inputs
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import (
    Foreign,
    Method,
    Module,
    Number,
    Sequence,
    TensorType,
)
from torchfix_codemods.rules.autograd.questions.graphless import environments
from torchfix_codemods.rules.autograd.questions.graphless.always import (
    Run,
    is_always,
    methods_of_made,
)
from torchfix_codemods.rules.autograd.questions.graphless.followed import makes_empty, returned_to
from torchfix_codemods.rules.autograd.questions.graphless.gradients import gives_plain_grads
from torchfix_codemods.rules.autograd.questions.graphless.image_steps import (
    changes_images,
    ends_in_own,
    makes_tensor_of_image,
)
from torchfix_codemods.rules.autograd.questions.graphless.own_loaders import gives_batches
from torchfix_codemods.rules.autograd.questions.graphless.unknown_modules import may_be_hooked
from torchfix_codemods.rules.autograd.questions.graphless.wrapped_modules import (
    module_run,
    modules_inside,
)

#: The classes of sparse tensors, which are given where their values are, the values and sizes.
_SPARSE_TYPES = frozenset(
    f"{module}.sparse.{name}"
    for module in ("torch", "torch.cuda")
    for name in torch_api.LEGACY_TYPES
)
#: Functions of Python that give the elements of what they are given.
_SAME_ELEMENTS = frozenset({"list", "tuple", "reversed", "sorted", "iter"})


def before_call(place: Place, call: ast.Call) -> Iterable[Place] | None:
    """What a graph could come from into what a call gives; None where that is out of sight."""
    facts, content = place.facts, place.content
    name = facts.name(call.func)
    if gives_batches(place, call) or gives_plain_grads(call, facts):
        return ()
    if name == VARIABLE:
        asked = arguments.given_for(facts.names, call, 1, "requires_grad")
        return None if asked is None or any(constant(x) is not False for x in asked) else ()
    is_torchs = name is not None and name.startswith("torch.")
    # What is torch's is none of the project's, whose classes would have to be looked through.
    found = None if is_torchs else function_named(call.func, facts)
    of_object = None if is_torchs or found else method_run(call.func, "__call__", facts)
    if (found := found or of_object) is not None:
        is_method = found is of_object or isinstance(facts.value(call.func), Method)
        is_replaced = is_method and may_be_replaced(*found)
        return None if is_replaced else returned_to(place, call, *found)
    if not is_torchs and (forwards := _forwards_of(call, facts)):
        is_replaced = any(may_be_replaced(*forward) for forward in forwards)
        return None if is_replaced else _returned_by_each(place, call, forwards)
    if name is not None and (name in TRANSPARENT or name.startswith(("itertools.", "random."))):
        return sources(place)
    if name is not None and (calculates_with_arrays(name) or _reads_arrays(call, name)):
        return ()
    if isinstance(facts.value(call.func), TensorType):
        return _before_making(call, facts)
    if name is not None and _is_made_of_arguments(name):
        return [Place(facts, each) for each in values_given(call)]
    if name is not None:
        return _before_operation(facts, call, name, None)
    builtin = facts.names.builtin(call.func)
    if makes_empty(call, facts):
        return ()
    if builtin is not None:
        is_same = builtin in _SAME_ELEMENTS and len(call.args) == 1 and not call.keywords
        return [Place(facts, call.args[0], content)] if is_same else sources(place)
    if (taken := taken_from(call, facts)) is not None:
        return [Place(facts, taken, ("*", *content))]
    if is_always(Place(facts, call.func), makes_tensor_of_image):
        return ()
    if is_always(Place(facts, call.func), changes_images):
        return [Place(facts, each) for each in call.args]
    if (run := methods_of_made(call, facts)) is not None:
        return _returned_by_each(place, call, run)
    own = list[tuple[Facts, ast.FunctionDef]]()
    if is_always(Place(facts, call.func), functools.partial(ends_in_own, own)):
        returned = [returned_by(*each, content) for each in own]
        return None if None in returned else [each for places in returned for each in places or ()]
    is_type = functools.partial(_is_type, call, facts.is_tensor(call))
    if is_always(Place(facts, call.func), is_type):
        return _before_making(call, facts)
    method = call.func
    if not isinstance(method, ast.Attribute) or facts.is_module(method):
        return None
    if environments.is_asked(call, facts):
        return ()
    if method.attr in method_names(facts.names):
        return None
    if method.attr == "astype":
        # Arrays and tables of other libraries have it, and no tensor of torch.
        return ()
    return _before_operation(facts, call, f"torch.Tensor.{method.attr}", method.value)


def _forwards_of(call: ast.Call, facts: Facts) -> list[Run] | None:
    """Each ``forward`` that a call of a module of the project may run, and nothing besides."""
    module = module_run(call.func, facts)
    if not isinstance(module, Module) or may_be_hooked(call, facts):
        return None
    inside = modules_inside(module, facts) or ()
    found = [run_by_value(each, facts) for each in inside]
    return None if None in found else [each for each in found if each is not None]


def _returned_by_each(place: Place, call: ast.Call, runs: Iterable[Run]) -> list[Place] | None:
    """What a call gives that may run each of several functions."""
    kept = [returned_to(place, call, *each) for each in runs]
    return None if None in kept else [each for places in kept for each in places or ()]


def _before_making(call: ast.Call, facts: Facts) -> list[Place]:
    """What a graph could come from into what a class of tensors makes: it gives a tensor itself."""
    if _is_of_sizes(call, facts):
        return []
    # Of what another library made, and of the numbers of a list, a new tensor is made.
    return [Place(facts, each) for each in values_given(call) if not _holds_numbers(each, facts)]


def _holds_numbers(given: ast.expr, facts: Facts) -> bool:
    """Whether a class of tensors is given a list, or ``l`` of ``def f(*l)``, which is a tuple."""
    if isinstance(facts.value(given), (Foreign, Sequence)):
        return True
    bindings = facts.flow.reaching(given) if isinstance(given, ast.Name) else ()
    return bool(bindings) and all(
        isinstance(each.node, ast.arg) and each.kind == "other" for each in bindings
    )


def _is_made_of_arguments(name: str) -> bool:
    """Sparse tensors are; functions of numpy call methods of what they get."""
    return name in _SPARSE_TYPES or (name.startswith("numpy.") and not _is_read(name))


def _is_read(name: str) -> bool:
    return name.rpartition(".")[2].startswith(("load", "from"))


def _reads_arrays(call: ast.Call, name: str) -> bool:
    """``np.load(path)``: arrays of numbers, as objects are only read where that is allowed."""
    is_certain = name.startswith("numpy.") and _is_read(name) and not is_opaque(call)
    return is_certain and argument(call, 2, "allow_pickle") is None


def _before_operation(
    facts: Facts, call: ast.Call, name: str, tensor: ast.expr | None
) -> Iterable[Place] | None:
    """What a graph could come from into the results of an operation of torch."""
    is_torchs = name.startswith("torch.") and torch_effects.is_known(name)
    if not is_torchs or gives_out(call) or name.rpartition(".")[2][:1].isupper():
        return None
    asks = any(k.arg == "requires_grad" and constant(k.value) is not False for k in call.keywords)
    if asks or name.endswith("requires_grad_"):
        return None
    if torch_effects.has_no_graph(name):
        return ()
    given = recorded_inputs(call, name, tensor)
    if is_given_numbers(name.rpartition(".")[2]):
        given = [each for each in given if each is tensor or facts.is_tensor(each)]
    return [Place(facts, each) for each in given]


def _is_type(call: ast.Call, makes_one: bool, node: ast.expr, facts: Facts) -> bool:
    """Whether it is a class of tensors: ``torch.FloatTensor``, ``x.new``, ``type(x)``.

    What is not known to be a tensor is one if its data has a size that the class is given, or if
    the class makes a tensor of what it is given. That of ``x.data`` asks for no gradients.
    """
    if isinstance(facts.value(node), TensorType):
        return True
    if isinstance(node, ast.Attribute) and node.attr == "new":
        return facts.is_tensor(node.value)
    asked = asked_for_class(facts.names, node)
    if asked is None:
        return False
    if not (isinstance(asked, ast.Attribute) and asked.attr == "data"):
        return facts.is_tensor(asked)
    return makes_one or is_given_size_of(call, asked) or facts.is_tensor(asked)


def _is_of_sizes(call: ast.Call, facts: Facts) -> bool:
    """Whether several are given, which all are sizes: a class of tensors takes no others."""
    spread = [each for each in call.args if isinstance(each, ast.Starred)]
    if len(call.args) - len(spread) > 1:
        return True
    return len(call.args) > 1 and (
        bool(spread) or any(isinstance(facts.value(each), Number) for each in call.args)
    )
