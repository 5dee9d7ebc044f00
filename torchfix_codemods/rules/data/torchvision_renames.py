"""torchvision's transforms, weights of models and picture grids have other names today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_keywords
from torchfix_codemods.facts.guards import is_guarded, is_signature_tried, is_version_checked
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.stand_ins import (
    ASSERTIONS,
    Use,
    asserted,
    called_so,
    is_rewritten,
    uses_by_name,
)
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found
from torchfix_codemods.rules.data.questions.set_parts import (
    is_of_its_half,
    leaves_samples,
    set_with_part,
)
from torchfix_codemods.rules.data.questions.told_sizes import about_size, is_same_size
from torchfix_codemods.rules.data.questions.torchvision_names import (
    ATTRIBUTES,
    BUILDERS,
    DATASETS,
    KEYWORDS,
    Changes,
    renamed_arguments,
    weights_of,
)
from torchfix_codemods.rules.questions.named_lines import told_once
from torchfix_codemods.rules.renamed import Renamed

_NO_SAMPLES = (
    "an ImageFolder takes its samples from samples today: to set imgs changes none of them"
)


class TorchvisionRenames(Renamed):
    """
    ## What it does
    Writes `Resize` for `Scale`, `RandomResizedCrop` for `RandomSizedCrop`; `weights=` for
    `pretrained=True` and `False`, with the weights that these stood for; the arguments of
    `make_grid`, `save_image`, `LSUN`, `RandomRotation` and `RandomAffine` by their names of today,
    also in `mock_grid.assert_called_with(...)` of a test that replaces such a function; `data` and
    `targets` for `train_data`, `test_labels` and their kin of `MNIST` and `CIFAR10`, where they are
    read, set or deleted, and where a class reads them that derives from one of these.

    ## Why
    torchvision took the old names away, one after the other; `pretrained=` still works, with two
    warnings.

    ## Example
    ```python
    crop = transforms.Compose([transforms.Scale(256), transforms.CenterCrop(224)])
    net = models.resnet50(pretrained=True)
    save_image(samples, "samples.png", 8)
    ```
    becomes
    ```python
    crop = transforms.Compose([transforms.Resize(256), transforms.CenterCrop(224)])
    net = models.resnet50(weights="IMAGENET1K_V1")
    save_image(samples, "samples.png", nrow=8)
    ```

    ## Numbers
    Restored: the old names fail. Identical for `pretrained=`: the weights are those that it loads
    today, not the better ones that `DEFAULT` would be. Pinned where samples of `CIFAR10` are set by
    the old names, which nothing reads today. Chance is another matter: the transforms
    drew from Python's `random` up to torchvision 0.7 and draw from torch's generator since.

    ## When it stays its hand
    `Scale((width, height))` was `Resize((height, width))` in torchvision 0.1.9: the name is
    changed where the size is a number or a square; elsewhere the finding says what became of
    it, and writes the pair for `Resize` where its names, or the age of the line, tell its order.
    `pretrained=` stays where it is not a literal, beside `*args` or `**kwargs`, beside arguments
    that torchvision's models do not take (a changed copy of it), and for quantized models; what is
    set of a data set of which it is not known that it was made with that `train=`, and what a class
    sets that derives from `MNIST`, is told of, as is `imgs` where it is set of an `ImageFolder`,
    which reads its `samples`; the third positional argument of `save_image` where
    it may be the format. Nothing changes where the file chooses by version itself, and nothing of
    the user's own functions of these names.

    ## References
    - https://pytorch.org/vision/stable/models.html#initializing-pre-trained-models
    - https://pytorch.org/vision/stable/generated/torchvision.utils.save_image.html
    - https://github.com/pytorch/vision/releases/tag/v0.2.0
    """

    code = "TP805"
    name = "torchvision-renames"
    tor = ("TOR201",)
    since = "1.12"
    numerics = Numerics.RESTORED
    warns = True
    message = "torchvision has another name for this today"
    words = frozenset({"imgs", "pretrained", "save_image", *ATTRIBUTES, *BUILDERS}).union(
        ASSERTIONS, *KEYWORDS.values()
    )

    def may_follow(self, use: ast.expr, old: str, facts: Facts) -> bool:
        call = facts.parent(use)
        is_called = isinstance(call, ast.Call) and call.func is use
        if old.endswith(".Scale"):
            return is_called and isinstance(call, ast.Call) and is_same_size(call, facts)
        if old.endswith(".RandomSizedCrop"):
            # What came second has changed.
            return is_called and isinstance(call, ast.Call) and len(call.args) <= 1
        return super().may_follow(use, old, facts)

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        yield from super().find_Attribute(node, facts)
        if node.attr == "imgs" and leaves_samples(facts, node):
            if not is_guarded(facts, node, "samples"):
                yield self.advice(node, _NO_SAMPLES)
        held = set_with_part(facts, node) if node.attr in ATTRIBUTES else None
        if held is None:
            return
        claim, new = DATASETS[held[0]], ATTRIBUTES[node.attr]
        if is_version_checked(facts, node) or is_guarded(facts, node, new):
            return
        message = f"{node.attr} of a data set of torchvision is now {new}"
        if isinstance(node.ctx, ast.Load):
            yield self.found(node, message, numerics=claim, attr=new, path=None)
            return
        is_gone = isinstance(node.ctx, ast.Del)
        is_refused = claim is Numerics.IDENTICAL or is_gone
        if not held[1] and is_of_its_half(facts, node):
            pinned = Numerics.RESTORED if is_refused else Numerics.PINNED
            yield self.found(node, message, numerics=pinned, attr=new, path=None)
        elif claim is Numerics.IDENTICAL or not held[1]:
            does = "delete" if is_gone else "set"
            effect = "raises" if is_refused else "changes no sample"
            yield self.advice(
                node, f"torchvision takes samples from {new} today: to {does} {node.attr} {effect}"
            )

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func) or ""
        if not name:
            yield from self._find_assertion(call, facts)
        if not name.startswith("torchvision.") or _is_left_alone(call, facts):
            return
        if name in self.renames and name.endswith(".Scale"):
            alike = facts.names.calls(last_name(call.func) or "")
            told = told_once(call, facts, name, alike, lambda c: self._about_size(c, facts))
            if told is not None:
                yield self.advice(call, told)
        elif name in self.renames and name.endswith(".RandomSizedCrop"):
            if len(call.args) == 2:
                size, interpolation = map(facts.segment, call.args)
                new = f"RandomResizedCrop({size}, interpolation={interpolation})"
                yield self.advice(call, f"RandomSizedCrop is now RandomResizedCrop: {new}")
        elif name in KEYWORDS:
            changes = renamed_arguments(call, name, facts)
            if changes:
                keywords = ", ".join(f"{keyword}=" for keyword, _ in changes.values())
                message = f"{name.rpartition('.')[2]} takes this as {keywords} today"
                yield self.found(call, message, changes=changes)
        else:
            changes = weights_of(call, name)
            if changes:
                message = "pretrained= became weights=; these are the same weights"
                yield self.found(call, message, numerics=Numerics.IDENTICAL, changes=changes)

    def _about_size(self, call: ast.AST, facts: Facts) -> str | None:
        name = facts.name(call.func) if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or name not in self.renames:
            return None
        if not name.endswith(".Scale") or _is_left_alone(call, facts):
            return None
        return about_size(call, facts)

    def _find_assertion(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``mock_grid.assert_called_once_with(image, range=(0, 1))``, as its code is called."""
        name = asserted(facts, call)
        if name not in KEYWORDS or is_opaque(call):
            return
        changes = renamed_arguments(call, name, facts)
        uses = uses_by_name(facts, name) if changes else None
        if uses and all(self._is_of_today(use, name, facts) for use in uses):
            message = called_so(name)
            reason = self.reason_for(self.numerics)
            yield self.found(
                call, message, numerics=Numerics.IDENTICAL, reason=reason, changes=changes
            )

    def _is_of_today(self, use: Use, name: str, facts: Facts) -> bool:
        """Whether a call is as it should be, once this run is over."""
        call = use.node
        assert isinstance(call, ast.Call)
        if is_opaque(call):
            return False
        if not renamed_arguments(call, name, use.facts):
            return name != "torchvision.utils.save_image" or len(call.args) <= 2
        is_chosen = is_version_checked(use.facts, call) or is_signature_tried(use.facts, call)
        return not is_chosen and is_rewritten(facts, use, self.code)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        changes: Changes = self.data["changes"]
        call = with_keywords(updated, {index: keyword for index, (keyword, _) in changes.items()})
        args = [
            arg
            if (text := changes.get(index, ("", None))[1]) is None
            else arg.with_changes(value=cst.parse_expression(text))
            for index, arg in enumerate(call.args)
        ]
        return call.with_changes(args=args)


def _is_left_alone(call: ast.Call, facts: Facts) -> bool:
    """Whether the code chooses by version itself, or hides what it gives."""
    return is_opaque(call) or is_version_checked(facts, call) or is_signature_tried(facts, call)
