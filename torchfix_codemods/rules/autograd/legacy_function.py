"""Functions of autograd have static methods and are called by `apply`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import is_on_one_line, with_argument_added, with_arguments
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.static_methods import as_any_class, with_static_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.legacy.advice import (
    OF_TORCH,
    applied,
    called_by,
    further_advice,
)
from torchfix_codemods.rules.autograd.questions.legacy.bases import leaves_gradient, told_of_base
from torchfix_codemods.rules.autograd.questions.legacy.calls import (
    WORDS,
    group_of,
    imported_calls,
    is_applied,
    own_calls,
)
from torchfix_codemods.rules.autograd.questions.legacy.functions import (
    context_name,
    is_legacy,
    is_of_context,
)
from torchfix_codemods.rules.autograd.questions.legacy.objects import (
    are_only_forwarded,
    is_object,
    is_only_made,
    runs_base_constructor,
)
from torchfix_codemods.rules.autograd.questions.legacy.plans import plan_of
from torchfix_codemods.rules.autograd.questions.legacy.uses import LegacyCall
from torchfix_codemods.rules.autograd.questions.legacy.wrapped_modules import module_in_place_of

_MODULE_OF_TORCH = "torch.nn.parallel._functions"

_ONLY_FORWARD = (
    "torch warns of objects of functions, and will refuse them: write `class {}:`, as nothing "
    "needs the base without a backward"
)

_ONLY_RUNS = "{0} only runs {1}, which is gone since torch 1.0: write {2}(...) for {0}(...)"


class LegacyFunction(Rule):
    """
    ## What it does
    Makes `forward` and `backward` of a `torch.autograd.Function` static methods that get a `ctx`
    in the place of `self`, and calls the function by `apply`. What the constructor was given
    becomes further arguments of `forward`; `backward` returns None for each of them. What `forward`
    returns is no longer kept as an attribute, as `ctx` is part of its graph then and none of them
    would be freed: `backward` reads it from `ctx.saved_tensors`, or nothing does. A function
    without `backward`, whose objects are kept with what their constructor was given, becomes a
    class like any other: `forward` is `__call__`, under `torch.no_grad()`. The
    `ctx.saved_variables` of static methods become `ctx.saved_tensors`.

    ## Why
    Functions with instance methods fail since torch 1.5: "Legacy autograd function with non-static
    forward method is deprecated".

    ## Example
    ```python
    class Scale(Function):
        def __init__(self, factor):
            super(Scale, self).__init__()
            self.factor = factor

        def forward(self, x):
            return x * self.factor

        def backward(self, grad):
            return grad * self.factor

    y = Scale(3)(x)
    ```
    becomes
    ```python
    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * ctx.factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    y = Scale.apply(x, 3)
    ```

    ## Numbers
    Restored: the code fails today; afterwards values and gradients are those of the old torch. A
    second derivative, which the old torch refused, is now taken through `backward`; where there is
    none, what is calculated has no gradient, as before, but asking for one says so elsewhere.
    Where `backward` reads what was returned, and somebody wrote into it since, torch says so now.
    Identical for `ctx.saved_variables`, which is another name for the same and warns.

    ## When it stays its hand
    The class and all of its calls, in all files of the project, change together, or nothing does. A
    finding says what to write where another file does more with the class than to call it or is not
    part of the run, where an object of it is kept together with arguments of its constructor, or
    with what it sets anew in each call (`self.steps += 1`), where the constructor does more than to
    store what it was given, where methods read what is not set in them, where it is not certain how
    many gradients `backward` returns, and where `forward` keeps what it returns in a list, as a
    view or otherwise than `ctx.save_for_backward` certainly does. Of one that only runs a module of
    `torch.legacy.nn` it names the module of today. Of a base that leaves methods to what derives
    from it, it names those classes, and how to write them is left to you. A class that is called
    by `apply` already is not touched. Of functions of torch itself that are made and called, such
    as `Broadcast(ids)(x)`, there is a finding.

    ## References
    - https://pytorch.org/docs/stable/notes/extending.html#extending-torch-autograd
    - https://github.com/pytorch/pytorch/pull/22983
    """

    code = "TP107"
    name = "legacy-function"
    since = "0.4"
    numerics = Numerics.RESTORED
    warns = True
    words = WORDS | {*OF_TORCH, "saved_variables"}
    message = "forward and backward of a function are static methods with ctx, called by apply"

    def find_ClassDef(self, node: ast.ClassDef, facts: Facts) -> Iterator[Found]:
        if not is_legacy(facts, node) or is_applied(facts, node):
            return
        plan = plan_of(facts, node)
        calls = None if plan is None else own_calls(facts, node, plan, self.code)
        if calls is None:
            said = self._found_object(node, facts) or self._said(node, facts)
            if said is not None:
                yield said
            return
        group = group_of(facts, node)
        yield self.found(node, group=group, plan=plan)
        for call in calls:
            yield self.found(call.node, group=group, call=call)

    def _found_object(self, node: ast.ClassDef, facts: Facts) -> Found | None:
        """A function without a gradient, whose objects can be objects of a class of its own."""
        if not is_object(facts, node) or not is_only_made(facts, node):
            return None
        spelled = spell(facts, "torch.no_grad", node)
        if spelled is None:
            return None
        return self.found(
            node,
            "torch 1.5 took away objects of functions: without a backward, this is any other class",
            needs=spelled.needs,
            context=spelled.text,
        )

    def _said(self, node: ast.ClassDef, facts: Facts) -> Found | None:
        if is_object(facts, node) and not leaves_gradient(facts, node):
            warns = runs_base_constructor(facts, node)
            if are_only_forwarded(facts, node):
                # Without the constructor of the base, they work as they are.
                return self.advice(node, _ONLY_FORWARD.format(node.name)) if warns else None
            warned = ", and warns of such objects" if warns else ""
            return self.advice(
                node,
                f"torch 1.5 took away calls of objects of functions{warned}: "
                f"write `class {node.name}:`, with a __call__ that calls forward under "
                "torch.no_grad()",
            )
        if (modules := module_in_place_of(facts, node)) is not None:
            return self.advice(node, _ONLY_RUNS.format(node.name, *modules))
        of_base = told_of_base(facts, node)
        if of_base is not None:
            return self.advice(node, of_base)
        own = context_name(node)
        context = "" if own == "ctx" else f" and ctx for {own}"
        further = "".join(f"; {said}" for said in further_advice(facts, node))
        return self.advice(
            node,
            f"torch 1.5 took away functions without static methods: write {called_by(node)}, "
            f"with @staticmethod above forward and backward{context}{further}",
        )

    def find_Module(self, tree: ast.Module, facts: Facts) -> Iterator[Found]:
        for group, call in imported_calls(facts, self.code):
            yield self.found(call.node, group=group, call=call)

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if node.attr == "saved_variables" and is_of_context(facts, node.value):
            yield self.found(
                node,
                "what is saved are tensors: saved_variables is deprecated",
                numerics=Numerics.IDENTICAL,
            )

    def find_Call(self, made: ast.Call, facts: Facts) -> Iterator[Found]:
        call = facts.parent(made)
        if not isinstance(call, ast.Call) or call.func is not made:
            return
        module, _, function = (facts.name(made.func) or "").rpartition(".")
        if module == _MODULE_OF_TORCH and function in OF_TORCH:
            new = applied(function, made, call)
            told = f"torch 1.5 took away functions that are made first: write {new}"
            yield self.advice(call, told)

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Attribute:
        return updated.with_changes(attr=cst.Name("saved_tensors"))

    def leave_ClassDef(self, original: cst.ClassDef, updated: cst.ClassDef) -> cst.ClassDef:
        if "context" in self.data:
            return as_any_class(updated, self.data["context"])
        return with_static_methods(updated, self.data["plan"])

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        call: LegacyCall = self.data["call"]
        if call.given is None:
            return cst.Attribute(
                updated.func, cst.Name("apply"), lpar=updated.lpar, rpar=updated.rpar
            )
        if not isinstance(updated.func, cst.Call):
            return updated
        built = updated.func
        given = [
            cst.Arg(built.args[part].value, comma=built.args[part].comma)
            if isinstance(part, int)
            else cst.Arg(cst.parse_expression(part))
            for part in call.given
        ]
        if is_on_one_line(updated):
            updated = with_arguments(updated, [*updated.args, *given])
        else:
            for argument in given:
                updated = with_argument_added(updated, cst.Arg(argument.value))
        return updated.with_changes(func=cst.Attribute(built.func, cst.Name("apply")))
