"""`torch.load` reads only tensors since 2.6: whole objects need `weights_only=False`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import line_named
from torchfix_codemods.facts.programs.stand_ins import ASSERTIONS, asserted, called_so
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.checkpoints.questions.asserted_loads import (
    is_read_whole,
    loads_asserted,
)
from torchfix_codemods.rules.checkpoints.questions.given_objects import (
    may_be_given_object,
    saved_parameter,
)
from torchfix_codemods.rules.checkpoints.questions.opened_files import (
    PACKS,
    in_bytes,
    is_retried,
    of_bytes,
    opened_as_text,
    packed_into,
)
from torchfix_codemods.rules.checkpoints.questions.read_whole import (
    can_get_argument,
    needs_argument,
)
from torchfix_codemods.text.wording import worded

_PICKLES = ("pickle", "cPickle", "six.moves.cPickle")
_LOADS = frozenset(
    {"torch.load", "numpy.load", "scipy.io.loadmat", *(f"{name}.load" for name in _PICKLES)}
)
#: Where they take the file: numpy before what is written.
_SAVES = {
    "torch.save": (1, "f"),
    "numpy.save": (0, "file"),
    **{f"{name}.dump": (1, "file") for name in _PICKLES},
}

_GIVEN = (
    "torch.load reads only tensors since 2.6, and raises where {} is more than containers of "
    "them, as a model is: write weights_only=False"
)

_ASSERTED = (
    "torch.load in {} is called with weights_only=False today: where this means that call, it "
    "needs that argument, too"
)


class LoadDefaults(Rule):
    """
    ## What it does
    Adds `weights_only=False` to a `torch.load` that certainly reads more than tensors, numbers and
    containers of them: a whole module, an `argparse.Namespace`, an object of this file, or a dict
    with the keys of one that this file, or only others, save with such an object in it. So it does
    where all that the project saves by the name of the file (`train.pt`) is such an object: a data
    set, a dict with an array. Where a function saves what it is given, and reads it back, its calls
    tell what that is; where they do not, a finding says what a model needs. A test that replaces
    torch and says how it is called, `mock_torch.load.assert_any_call(path)`, follows, or is told of
    where it may mean another call. Of `torch.load(open(path))`, `pickle.load(open(path))`,
    `np.load(open(path))` and, in files without torch, too, `loadmat(open(path))` of scipy, as
    Python 2 took them, a finding says that Python 3 reads text there, and of `pickle.dump(x,
    open(path, "w"))` and `np.save(open(path, "w"), x)` that it writes text, as of a file opened so
    to which nothing but `struct.pack(…)` is written.

    ## Why
    Since 2.6 `torch.load` refuses such files ("Weights only load failed"), because unpickling can
    run any code. Files that the program wrote itself can be trusted; files from elsewhere should
    be written anew with `state_dict()`.

    ## Example
    ```python
    model = torch.load("model.pt")
    model.eval()
    ```
    becomes
    ```python
    model = torch.load("model.pt", weights_only=False)
    model.eval()
    ```

    ## Numbers
    Restored: the call fails on torch 2.6 and newer; afterwards it loads what older torch loaded.

    ## When it stays its hand
    Where nothing in the file shows what is loaded: a state dict and a dict of tensors need no
    argument. Of files that are opened as text nothing is said where the handler of a `try` opens
    them again. Where `weights_only`, `pickle_module` or `**kwargs` is given, and in files that
    already know the argument (they were written for, or checked with, a torch that has it).

    ## References
    - https://pytorch.org/docs/stable/generated/torch.load.html
    - https://github.com/pytorch/pytorch/releases/tag/v2.6.0
    """

    code = "TP502"
    name = "load-defaults"
    tor = ("TOR102",)
    since = "1.13"
    numerics = Numerics.RESTORED
    changed_in = "2.6"
    words = ASSERTIONS | {"load", "loadmat", "dump", "pack", "save"}
    message = (
        "torch.load reads only tensors since 2.6, and this file holds an object: "
        "weights_only=False (for files you trust)"
    )

    def for_other_libraries(self) -> Rule | None:
        rule = copy.copy(self)
        rule.words = frozenset({"loadmat"})
        return rule

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func)
        if is_opaque(call):
            return
        if name is None:
            yield from self._find_assertion(call, facts)
            return
        if name in _SAVES:
            yield from self._find_written(call, argument(call, *_SAVES[name]), facts)
        if name == PACKS:
            yield from self._told_of_writing(call, packed_into(call, facts), facts)
        if name not in _LOADS:
            return
        text = opened_as_text(call.args[0], facts) if call.args else None
        if text is not None and not is_retried(text, _LOADS, call, facts):
            yield self.advice(
                call,
                f"{worded(text, 'open(...)')} reads text since Python 3, "
                f"and {ast.unparse(call.func)} needs bytes: open it with {in_bytes(text, 'rb')}",
            )
        if name != "torch.load":
            return
        if not can_get_argument(facts, call):
            return
        saved = saved_parameter(facts, call)
        if needs_argument(facts, call):
            yield self.found(call)
        elif saved is not None and may_be_given_object(facts, saved, call):
            yield self.advice(call, _GIVEN.format(saved.id))

    def _find_assertion(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``mock_torch.load.assert_any_call(path)``, as its code is called."""
        if asserted(facts, call) != "torch.load" or argument(call, None, "weights_only"):
            return
        meant = loads_asserted(facts, call)
        whole = [use for use in meant if is_read_whole(facts, use, self.code)]
        if whole == meant and whole:
            claim, reason = Numerics.IDENTICAL, self.reason_for(self.numerics)
            yield self.found(call, called_so("torch.load"), numerics=claim, reason=reason)
        elif whole:
            line = line_named(whole[0].node, whole[0].facts, facts)
            yield self.advice(call, _ASSERTED.format(line))

    def _find_written(self, call: ast.Call, file: ast.expr | None, facts: Facts) -> Iterator[Found]:
        text = None if file is None else opened_as_text(file, facts)
        if text is not None and not is_retried(text, _SAVES, call, facts):
            yield from self._told_of_writing(call, text, facts)

    def _told_of_writing(
        self, call: ast.Call, text: ast.Call | None, facts: Facts
    ) -> Iterator[Found]:
        mode = None if text is None else argument(text, 1, "mode")
        if text is None or not isinstance(mode, ast.Constant):
            return
        if set("wax+").intersection(str(mode.value)):
            does = "gives" if facts.name(call.func) == PACKS else "writes"
            yield self.advice(
                call,
                f"{worded(text, 'open(...)')} writes text since Python 3, and "
                f"{ast.unparse(call.func)} {does} bytes: open it with "
                f"{in_bytes(text, of_bytes(mode.value))}",
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return with_argument_added(updated, keyword_argument("weights_only", cst.Name("False")))
