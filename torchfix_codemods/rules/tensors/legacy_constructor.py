"""`torch.Tensor(…)`, `torch.LongTensor(…)` and `x.new(…)` say what they make: `empty`, `tensor`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lines import outgrows
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.edit.tensors.construction import (
    Factory,
    factory_for,
    made_by_factory,
)
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.constructors import (
    DTYPES,
    Chain,
    chain_of,
    dtype_of_cast,
)
from torchfix_codemods.facts.tensors.defaults import (
    may_change_default_device,
    may_change_default_type,
)
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.devices.questions.type_devices import waits_for_gpu_half
from torchfix_codemods.rules.questions.like_calls import sizes_stay_beside, stays_beside
from torchfix_codemods.rules.questions.wrapped_makers import is_to_be_unwrapped
from torchfix_codemods.rules.tensors.questions.converted_numbers import (
    about_wrapped,
    filled_at_once,
    made_at_once,
)
from torchfix_codemods.rules.tensors.questions.made_already import is_imported, is_made_already
from torchfix_codemods.rules.tensors.questions.new_tensors import (
    calls_of_named_new,
    chain_of_new,
    factory_of_new,
    fills_of_class,
    has_twin_that_stays,
    receiver_of_new,
    spelled,
)

_SINGLE = ("torch.Tensor", "torch.FloatTensor")
_CALLED = tuple(name.rpartition(".")[2] for name in DTYPES)


class LegacyConstructor(Rule):
    """
    ## What it does
    Replaces the legacy constructors by the functions that say what is made: `torch.empty` and
    `x.new_empty` for sizes, `torch.tensor` and `x.new_tensor` for values, `torch.as_tensor` for
    numpy arrays, `torch.zeros` for `np.zeros(…)`. What fills the memory right away is told as
    well: `.zero_()` makes it `torch.zeros`, `.fill_(v)` `torch.ones` or `torch.full`, `.normal_()`
    and `.uniform_()` `torch.randn` and `torch.rand`. Memory that becomes another type has it from
    the start: `torch.Tensor(2).fill_(-1).long()` is `torch.full((2,), -1, dtype=torch.long)`.
    `torch.FloatTensor(torch.zeros(2))` is the `torch.zeros(2)` in it. `x.new(x.size()).zero_()`
    of an `x` that is certainly contiguous is `torch.zeros_like(x)`. `new(n).zero_()` of
    `new = x.new` is `x.new_zeros(n)` where all that reads the name is such a call.

    ## Why
    `torch.LongTensor(5)` is five numbers of garbage, `torch.LongTensor([5])` is the number 5, and
    `torch.LongTensor(n)` is either. The constructors know no `dtype=`, `device=` or
    `requires_grad=`, and torch calls them legacy.

    ## Example
    ```python
    self.weight = nn.Parameter(torch.Tensor(out_features, in_features))
    target = torch.LongTensor([word_to_ix[w] for w in sentence])
    labels = torch.FloatTensor(batch_size, 1).fill_(0.9)
    hidden = weight.new(nlayers, batch_size, nhid).zero_()
    ```
    becomes
    ```python
    self.weight = nn.Parameter(torch.empty(out_features, in_features))
    target = torch.tensor([word_to_ix[w] for w in sentence], dtype=torch.long)
    labels = torch.full((batch_size, 1), 0.9)
    hidden = weight.new_zeros(nlayers, batch_size, nhid)
    ```

    ## Numbers
    Identical: values, types, shapes, and the random numbers that are drawn. Memory that nothing
    fills was arbitrary and stays so. `torch.as_tensor` shares the memory of the array as the
    constructors do.

    ## When it stays its hand
    Where it is not certain whether sizes or values are given: an unknown variable alone, a
    parameter that holds a tuple (it could be a `torch.Size`), a number alone that numpy computed.
    Where the function makes the same of what is not known to be a tensor (`y.new(y.size())` beside
    `x.new(x.size())`), where a tensor is given (`torch.Tensor(x)` shares its memory), where
    `Tensor` is a name that the file gave to a type, on `torch.cuda.FloatTensor` and
    `torch.sparse.FloatTensor`, and where `x` in `x.new(…)` is not certainly a tensor. What it is
    filled with stays in `.fill_(v)` where that may be a tensor of a graph, which `torch.full` does
    not take. Where a number is written down that the type cannot hold, which today's torch refuses,
    a finding says what old torch took it for. Where floats are made of numbers that become another
    type at once (`torch.Tensor([label]).long()`), unless they are certainly the same without the
    floats. Where a list or an array is given on a line that would become too long, here or where
    the file says the same, and where the same, also of another type, stands right beside it and has
    to stay, as all of a row. In a project that sets another default type, only what follows that
    default before and after; in one that sets a default device, nothing but `x.new(…)`.

    ## References
    - https://pytorch.org/docs/stable/tensors.html
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("dtypes, devices, and NumPy-style
      Tensor creation functions")
    """

    code = "TP403"
    name = "legacy-constructor"
    since = "0.4.1"
    numerics = Numerics.IDENTICAL
    words = frozenset({"new", *_CALLED})
    message = "a legacy constructor takes sizes and values alike"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func)
        told = about_wrapped(call, name)
        if told is not None:
            # What is made of it fails as well.
            yield self.advice(call, told)
            return
        if is_to_be_unwrapped(call, facts) or waits_for_gpu_half(call, facts):
            return
        if name in DTYPES:
            if is_made_already(call, name, facts) and is_imported(call.func, facts):
                yield self.found(call, f"{name}() gives the new tensor of that type", chain=None)
                return
            chain, factory = _made_by_class(name, call, facts)
            if chain is not None and _is_half(call, chain, facts):
                return
        else:
            receiver = receiver_of_new(call, facts)
            if receiver is None or has_twin_that_stays(call, facts):
                return
            chain = chain_of_new(call, receiver, facts)
            factory = None if chain is None else factory_of_new(chain, receiver, facts)
        if chain is None or factory is None:
            return
        name = name or "x.new"
        yield from self._made(call, chain, factory, f"{name}() takes sizes and values alike", facts)

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        made, group = calls_of_named_new(node, facts), f"new of line {node.lineno}"
        said = "x.new() takes sizes and values alike"
        found = [each for one in made for each in self._made(*one, said, facts, group)]
        if found and len(found) == len(made):
            yield from found
            yield self.found(node, f"{said}: nothing else is made by this name", group=group)

    def _made(
        self, call: ast.Call, chain: Chain, made: Factory, said: str, facts: Facts, group: str = ""
    ) -> Iterator[Found]:
        function, dtype = spelled(made.function, call, facts), spelled(made.dtype, call, facts)
        new = made.function.rpartition(".")[2]
        if function is None or dtype is None or is_guarded(facts, call, new):
            return
        yield self.found(
            call,
            f"{said}: {new}() says what is meant",
            region=chain.calls[-1],
            needs=(*function.needs, *dtype.needs),
            group=group or None,
            chain=chain,
            function=function.text,
            dtype=dtype.text,
            makes_floats=made.makes_floats,
        )

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.RemovalSentinel:
        return cst.RemoveFromParent()

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        chain: Chain | None = self.data["chain"]
        if chain is None:
            return as_operand(updated.args[0].value)
        data = self.data
        made = Factory(data["function"], data["dtype"], data["makes_floats"])
        return made_by_factory(updated, chain, made)


# Constructors of classes


def _made_by_class(name: str, call: ast.Call, facts: Facts) -> tuple[Chain | None, Factory | None]:
    chain, factory = _said_by_class(name, call, facts)
    if chain is not None and factory is not None and _lengthens(call, chain, factory, facts):
        # The constructor does what is asked of it, in fewer words.
        factory = None
    if chain is None or factory is None or not _gives_values(chain):
        return chain, factory
    if may_change_default_type(facts):
        return chain, factory
    return made_at_once(chain, factory, DTYPES[name] or "torch.float", facts)


def _said_by_class(name: str, call: ast.Call, facts: Facts) -> tuple[Chain | None, Factory | None]:
    """What says the same as a class does, however long that is."""
    is_long = name == "torch.LongTensor"
    chain = chain_of(call, facts, fills_of_class(name), may_be_range=is_long)
    if chain is not None:
        chain = filled_at_once(chain, facts, makes_floats=name in _SINGLE)
    return chain, None if chain is None else _factory_of_class(name, call, chain, facts)


def _gives_values(chain: Chain) -> bool:
    return chain.given == "list" or (chain.given == "array" and chain.fill is None)


def _is_half(call: ast.Call, chain: Chain, facts: Facts) -> bool:
    """Whether one alone of several that say the same would be written in another way."""
    if _gives_values(chain):
        return stays_beside(call, _stays, _CALLED, facts, _outgrows)
    is_memory = chain.given in ("sizes", "shape") and chain.fill is None
    return is_memory and sizes_stay_beside(call, _stays, _CALLED, facts)


def _stays(name: str, call: ast.Call, facts: Facts) -> bool:
    return name in DTYPES and _made_by_class(name, call, facts)[1] is None


def _outgrows(name: str, call: ast.Call, facts: Facts) -> bool:
    chain, factory = _said_by_class(name, call, facts) if name in DTYPES else (None, None)
    return chain is not None and factory is not None and _lengthens(call, chain, factory, facts)


def _factory_of_class(name: str, call: ast.Call, chain: Chain, facts: Facts) -> Factory | None:
    if not is_imported(call.func, facts) or may_change_default_device(facts):
        return None
    dtype = DTYPES[name] or "torch.float"
    factory = factory_for(dtype, chain)
    # A type that it is cast to is none of floats that would have to follow the default.
    is_cast = chain.cast is not None and dtype_of_cast(chain.cast) != "torch.float"
    is_told = not is_cast and (factory.dtype or chain.cast or chain.said)
    says_type = name != "torch.Tensor" or is_told
    return None if says_type and may_change_default_type(facts) else factory


def _lengthens(call: ast.Call, chain: Chain, factory: Factory, facts: Facts) -> bool:
    if chain.given not in ("array", "list"):
        return False
    dtype = "" if factory.dtype is None else f", dtype={factory.dtype}"
    return outgrows(call, len(factory.function + dtype) - len(ast.unparse(call.func)), facts)
