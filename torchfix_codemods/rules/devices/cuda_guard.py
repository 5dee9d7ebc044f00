"""An `if cuda:` around moves to the device is not needed once they are `.to(device)`."""

from __future__ import annotations

import ast
import functools
import re
from bisect import bisect_left
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.statements import with_lines_above, without_test
from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import is_cuda_available
from torchfix_codemods.rules.devices.questions.named.combined import device_of_calculated
from torchfix_codemods.rules.devices.questions.named.device_names import device_at
from torchfix_codemods.rules.devices.questions.neighbours import follows_input
from torchfix_codemods.rules.devices.questions.plan.guard_shapes import Moves, device_of_same, freed
from torchfix_codemods.rules.devices.questions.plan.same_switch import chooses_device

_ON_CPU = "the guard is not needed: .cpu() does nothing to what lies there"


class CudaGuard(Rule):
    """
    ## What it does
    Removes the guard of `if use_cuda: x = x.to(device)` where `device` is defined from the same
    flag, so that the move does nothing when the flag is not set. Also where the `else` branch is
    the same code without the move, or with `x.cpu()` for each, and in the form
    `x.to(device) if use_cuda else x`. Of `x.cpu().numpy() if use_cuda else x.numpy()` the first is
    right for both. So is it where both branches make what is only used to
    calculate with a tensor, one of them on the device of that. Of a guard with other lines, the
    moves above and below those go out. `global use_cuda` goes with the guards of its function where
    nothing else there speaks of the flag.

    ## Why
    The guards are what `.to(device)` makes superfluous; each is a line that can be forgotten.

    ## Example
    ```python
    device = torch.device("cuda" if use_cuda else "cpu")
    if use_cuda:
        data, target = data.to(device), target.to(device)
    ```
    becomes
    ```python
    device = torch.device("cuda" if use_cuda else "cpu")
    data, target = data.to(device), target.to(device)
    ```

    ## Numbers
    Identical: what is on the CPU already is returned as it is by `.to("cpu")`.

    ## When it stays its hand
    Where moves stand between other lines or make something new, where the flag is another one than
    the device's or can have changed since, beside `x.cpu()` where a class of the project has a
    `cpu()` of its own, and where a comment stands on the line of the `if`, or in its `else` alone.
    So does a guard around what only the lines below make, or those under the same test (`self.net`
    of a constructor): without the flag nothing asked for it.

    ## References
    - https://pytorch.org/docs/stable/notes/cuda.html#device-agnostic-code
    - https://pytorch.org/docs/stable/generated/torch.Tensor.to.html
    """

    code = "TP202"
    name = "cuda-guard"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"cuda", "device", "to"})
    message = "the guard is not needed: .to(device) does nothing where there is no GPU"

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        if node.orelse and _asks_what_cpu_does(node, facts):
            size = len(node.body)
            yield self.found(node, _ON_CPU, size=size, above=size, below=0)
            return
        if not _moves_something(node, facts):
            return
        parts = freed(node, _moves(facts))
        if parts is not None and self._is_needless(node.test, parts.device, node, facts):
            yield self.found(
                node,
                size=len(node.body),
                above=parts.above,
                below=parts.below,
                is_said_twice=bool(node.orelse),
            )

    def find_IfExp(self, node: ast.IfExp, facts: Facts) -> Iterator[Found]:
        device = device_of_same([node.body], [node.orelse], _moves(facts))
        if device is not None and self._is_needless(node.test, device, node, facts):
            yield self.found(node)
        elif _asks_what_cpu_does(node, facts):
            yield self.found(node, _ON_CPU)

    def find_Global(self, node: ast.Global, facts: Facts) -> Iterator[Found]:
        """``global use_cuda`` of a function of which all guards go, and that sets no such flag."""
        function, name = facts.parent(node), node.names[0]
        if len(node.names) != 1 or not isinstance(function, ast.FunctionDef):
            return
        uses = [each for each in facts.names.inside(function, ast.Name) if each.id == name]
        lines = "\n".join(facts.lines[function.lineno - 1 : function.end_lineno])
        is_spoken_of = len(re.findall(rf"\b{name}\b", lines)) != len(uses) + 1
        if uses and not is_spoken_of and all(self._goes(each, facts) for each in uses):
            yield self.found(node, "nothing in the function asks for it")

    def _goes(self, flag: ast.Name, facts: Facts) -> bool:
        """Whether a flag is all that a guard asks for, and the guard goes as a whole."""
        guard = facts.parent(flag)
        if isinstance(guard, ast.IfExp) and guard.test is flag:
            return any(self.find_IfExp(guard, facts))
        if not isinstance(guard, ast.If) or guard.test is not flag:
            return False
        return any(found.data["above"] == len(guard.body) for found in self.find_If(guard, facts))

    def _is_needless(
        self, test: ast.expr, device: str, node: ast.expr | ast.stmt, facts: Facts
    ) -> bool:
        if chooses_device(test, device, node, facts):
            return True
        is_known = facts.touched(node) or is_cuda_available(test, facts)
        if is_known and follows_input(test, device, node, facts):
            return True
        made = node.body if isinstance(node, ast.If) else [facts.statement(node)]
        is_of_flag = facts.touched(node) and only_computes(facts, test)
        return is_of_flag and all(device_of_calculated(s, facts) == device for s in made)

    def leave_If(
        self, original: cst.If, updated: cst.If
    ) -> cst.If | cst.FlattenSentinel[cst.BaseStatement]:
        above, below, size = self.data["above"], self.data["below"], self.data["size"]
        if isinstance(updated.body, cst.SimpleStatementSuite) or above == size:
            return cst.FlattenSentinel(without_test(updated))
        if not isinstance(updated.body, cst.IndentedBlock) or len(updated.body.body) != size:
            return updated
        lines = list(updated.body.body)
        end = size - below
        body = updated.body.with_changes(body=lines[above:end])
        guard = updated.with_changes(body=body)
        if above:
            guard = guard.with_changes(leading_lines=[])
        moved = with_lines_above(lines[:above], updated.leading_lines)
        return cst.FlattenSentinel([*moved, guard, *lines[end:]])

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        is_global = len(updated.body) == 1 and isinstance(updated.body[0], cst.Global)
        return cst.RemoveFromParent() if is_global else updated

    def leave_IfExp(self, original: cst.IfExp, updated: cst.IfExp) -> cst.BaseExpression:
        return updated.body


def _asks_what_cpu_does(node: ast.If | ast.IfExp, facts: Facts) -> bool:
    """``x.cpu().numpy() if cuda else x.numpy()`` of the flag that the device is made by."""
    inside = range(node.lineno, (node.end_lineno or node.lineno) + 1)
    if not any(call.lineno in inside for call in facts.names.method_calls("cpu")):
        return False
    back = Moves(facts, lambda part: "cpu" if _brings_back(part, facts) else None)
    if isinstance(node, ast.If):
        is_same = freed(node, back) is not None
    else:
        is_same = device_of_same([node.body], [node.orelse], back) is not None
    device = device_at(node, facts) if is_same else None
    return device is not None and chooses_device(node.test, device, node, facts)


def _brings_back(node: ast.AST, facts: Facts) -> bool:
    """``x.cpu()`` of a tensor, and ``x.cpu().numpy()``: nothing else is known to have that."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    if node.func.attr != "cpu" or node.args or may_be_of_project(facts.names, "cpu"):
        return False
    taken = facts.parent(node)
    if isinstance(taken, ast.Attribute) and taken.attr == "numpy":
        return not may_be_of_project(facts.names, "numpy")
    return facts.is_tensor(node.func.value)


def _moves_something(node: ast.If, facts: Facts) -> bool:
    """Whether a branch names a device: ``.to(…)``, and ``device=…`` above an ``else``."""
    first, last = node.body[0].lineno, node.body[-1].end_lineno or 0
    for find in (_ends_of_moves, _ends_of_makers) if node.orelse else (_ends_of_moves,):
        ends = facts.names.remembered(find, functools.partial(find, facts))
        following = bisect_left(ends, first)
        if following < len(ends) and ends[following] <= last:
            return True
    return False


def _ends_of_moves(facts: Facts) -> list[int]:
    """The lines on which calls of ``.to(…)`` end, in order."""
    return sorted(call.end_lineno or 0 for call in facts.names.method_calls("to"))


def _ends_of_makers(facts: Facts) -> list[int]:
    """The lines on which a ``device=…`` ends, in order."""
    return sorted(
        keyword.end_lineno or 0
        for keyword in facts.names.nodes.get(ast.keyword, ())
        if isinstance(keyword, ast.keyword) and keyword.arg == "device"
    )


def _moves(facts: Facts) -> Moves:
    return Moves(facts, lambda node: _device_of_call(node, facts))


def _device_of_call(node: ast.AST, facts: Facts) -> str | None:
    """The text of ``device`` in ``x.to(device)``, with or without ``non_blocking=``.

    Also in ``torch.zeros(3, device=device)``.
    """
    if not isinstance(node, ast.Call):
        return None
    given = next((keyword.value for keyword in node.keywords if keyword.arg == "device"), None)
    if given is not None and (facts.name(node.func) or "").startswith("torch."):
        return ast.unparse(given) if _is_device(given) else None
    if not (
        isinstance(node.func, ast.Attribute)
        and node.func.attr == "to"
        and len(node.args) == 1
        and _is_device(node.args[0])
        and all(keyword.arg == "non_blocking" for keyword in node.keywords)
    ):
        return None
    return ast.unparse(node.args[0])


def _is_device(node: ast.expr) -> bool:
    """``device`` or ``x.device``."""
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and node.attr == "device")
