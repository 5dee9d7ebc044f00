"""`.numpy()` on a tensor that requires grad or is on the GPU needs `.detach()` and `.cpu()`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import calling
from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.libraries.kept_dimensions import PLACE_OF_DIM
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.placement import may_be_on_gpu
from torchfix_codemods.facts.recording.history import certainly_requires_grad
from torchfix_codemods.facts.values.lattice import Number, Tensor
from torchfix_codemods.finding import Numerics, Reason
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.summed_graphs import are_numbers_of_gpu, sums_graph
from torchfix_codemods.rules.questions.uncalled import is_uncalled
from torchfix_codemods.text.wording import listed

#: Functions of numpy that are applied to single numbers.
_OF_NUMBERS = frozenset({"sqrt", "log", "exp", "isnan", "isinf"})
#: Those that are applied to lists of numbers: what reduces tensors has the names of numpy's.
_OF_LISTS = frozenset({"array", "asarray", "average", *PLACE_OF_DIM})
#: Those of matplotlib that make arrays of what they draw.
_DRAWING = frozenset({"bar", "hist", "plot", "scatter", "semilogy"})


class NumpyFromGraph(Rule):
    """
    ## What it does
    Puts `.detach()` before `.numpy()` where the tensor certainly requires gradients, and `.cpu()`
    where the code moved it, or what it was computed from, to a device that may be a GPU. Only
    what is missing is added. `np.sqrt(total)` of a number that may lie on a GPU, or was added up
    from gradients, is reported: reductions gave numbers of Python until 0.3. So are
    `np.sum(losses)` of a list of losses that is back-propagated, and `np.mean(losses)` and
    `plt.plot(losses)` of losses that may lie on a GPU.

    ## Why
    An array knows no graph and cannot lie on a GPU: `.numpy()` raises `Can't call numpy() on
    Tensor that requires grad`, or `can't convert cuda:0 device type tensor to numpy`.

    ## Example
    ```python
    output = model(x.cuda())
    loss = criterion(output, y.cuda())
    loss.backward()
    predictions.append(output.numpy())
    ```
    becomes
    ```python
    output = model(x.cuda())
    loss = criterion(output, y.cuda())
    loss.backward()
    predictions.append(output.detach().cpu().numpy())
    ```

    ## Numbers
    Restored with `.detach()`: the old line raises, on today's torch and on the old ones. `.cpu()`
    alone is identical on a machine without a GPU, where it gives the very tensor; on one with a
    GPU the old line raises. The array shares its memory with the tensor on the CPU as before.

    ## When it stays its hand
    Where the tensor has no history (labels, comparisons, what `no_grad` computes) and nobody in
    sight moved it: there is nothing to add. A function that does not back-propagate itself may be
    called under `no_grad`, so what it computes counts only where its gradients are certain: its
    parameters, and leaves made with `requires_grad=True`. Code that asks first
    (`if x.is_cuda`, `try`), and `numpy()` of other objects. Of `np.sqrt(total)` nothing is said in
    a function that no line of the project names. `.data.cpu().numpy()` becomes
    `.detach().cpu().numpy()` by `data-attribute`.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.numpy.html
    """

    code = "TP111"
    name = "numpy-from-graph"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset({"numpy", *_DRAWING, *_OF_LISTS, *_OF_NUMBERS})
    message = "numpy() refuses a tensor that requires grad: add .detach()"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        module, _, function = (facts.name(call.func) or "").rpartition(".")
        if module == "numpy" and function in _OF_NUMBERS:
            yield from self._of_number(call, facts)
            return
        if module == "numpy" and function in _OF_LISTS:
            yield from self._of_list(call, facts)
            return
        if module == "matplotlib.pyplot" and function in _DRAWING:
            yield from self._of_lists(call, call.args, facts)
            return
        method = call.func
        if not isinstance(method, ast.Attribute) or method.attr != "numpy":
            return
        if call.args or call.keywords or not isinstance(facts.value(method.value), Tensor):
            return
        if _is_asked_for(call, facts):
            return
        detach = certainly_requires_grad(facts, method.value)
        cpu = may_be_on_gpu(facts, method.value)
        if detach:
            message = "numpy() refuses a tensor of the graph on a GPU: add .detach().cpu()"
            yield self.found(call, message if cpu else None, detach=True, cpu=cpu)
        elif cpu:
            yield self.found(
                call,
                "numpy() refuses a tensor on a GPU: add .cpu()",
                numerics=Numerics.IDENTICAL,
                reason=Reason.FAILS,
                detach=False,
                cpu=True,
            )

    def _of_number(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        given = call.args[0] if len(call.args) == 1 and not call.keywords else None
        if given is None or _is_asked_for(call, facts):
            return
        value, added = facts.value(given), _added(given, facts)
        function = ast.unparse(call.func)
        if isinstance(value, Tensor) and value.single and may_be_on_gpu(facts, given):
            written = ast.unparse(ast.Attribute(given, "item"))
            yield self.advice(call, f"{function} refuses a tensor on a GPU: write {written}()")
        elif is_uncalled(call, facts):
            return
        elif added and (_speaks_of_gradients(call, facts) or may_be_on_gpu(facts, added[0])):
            yield self.advice(
                call,
                f"{function} refuses a tensor on a GPU, and {ast.unparse(given)} is a tensor since "
                f"torch 0.4: write {function}(float({ast.unparse(given)}))",
            )

    def _of_list(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != "numpy.sum" or not sums_graph(call, facts):
            yield from self._of_lists(call, call.args[:1], facts)
        elif not _is_asked_for(call, facts):
            summed = f"write sum({ast.unparse(call.args[0])})"
            function = ast.unparse(call.func)
            yield self.advice(call, f"{function} refuses tensors that require grad: {summed}")

    def _of_lists(self, call: ast.Call, given: Iterable[ast.expr], facts: Facts) -> Iterator[Found]:
        """A function that makes arrays of lists, some of which hold numbers of a GPU."""
        names = [each for each in given if isinstance(each, ast.Name)]
        of_gpu = dict.fromkeys(each.id for each in names if are_numbers_of_gpu(each, facts))
        if of_gpu and not _is_asked_for(call, facts):
            numbers = [f"[each.item() for each in {name}]" for name in of_gpu]
            yield self.advice(
                call,
                f"{ast.unparse(call.func)} refuses tensors on a GPU, as {listed(of_gpu)} may hold: "
                f"write {listed(numbers)}",
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        method = updated.func
        if not isinstance(method, cst.Attribute):
            return updated
        tensor = method.value
        if self.data["detach"]:
            tensor = _detached(tensor)
        if self.data["cpu"]:
            tensor = calling(tensor, "cpu")
        return updated.with_changes(func=method.with_changes(value=tensor))


def _added(total: ast.expr, facts: Facts) -> list[ast.expr]:
    """The tensors without dimensions that are added to a sum which begins as a number."""
    bindings = facts.flow.reaching(total) if isinstance(total, ast.Name) else ()
    added = [b.node.value for b in bindings if isinstance(b.node, ast.AugAssign)]
    begun = [b for b in bindings if not isinstance(b.node, ast.AugAssign)]
    values = [facts.value(tensor) for tensor in added]
    if not all(isinstance(value, Tensor) and value.ndim == 0 for value in values):
        return []
    is_number = all(isinstance(facts.inference.bound(b), Number) for b in begun)
    return added if is_number and begun else []


def _speaks_of_gradients(call: ast.Call, facts: Facts) -> bool:
    """Whether the code around reads gradients, which lie where the model does."""
    around = facts.names.enclosing_function(call) or facts.tree
    own = facts.names.attributes("grad")
    return any(around is facts.tree or around in facts.names.ancestors(node) for node in own)


def _detached(tensor: cst.BaseExpression) -> cst.BaseExpression:
    """``x.detach().cpu()`` of ``x.cpu()``: what is copied to the host needs no graph."""
    if isinstance(tensor, cst.Call) and not tensor.args and isinstance(tensor.func, cst.Attribute):
        if tensor.func.attr.value == "cpu":
            inner = _detached(tensor.func.value)
            return tensor.with_changes(func=tensor.func.with_changes(value=inner))
    return calling(tensor, "detach")


def _is_asked_for(node: ast.expr, facts: Facts) -> bool:
    """Whether the code looks first where a tensor is, or is prepared for an error."""
    child: ast.AST = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, TRIES) and child in parent.body:
            return True
        if isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            words = ast.unparse(parent.test).lower()
            if any(word in words for word in ("cuda", "gpu", "device", "requires_grad")):
                return True
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return False
        child = parent
    return False
