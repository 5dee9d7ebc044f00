"""Which rule answers which documented pitfall.

The pitfalls are those of five articles that the project was asked to implement, in the order in
which each of them speaks of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Rule

ARTICLES = {
    "A": "PyTorch 踩到的坑",
    "B": "PyTorch爬坑指南",
    "C": "PyTorch的一些坑",
    "D": "PyTorch 经验指南：技巧与陷阱 (grokking-pytorch)",
    "E": "Pytorch 踩坑",
}

#: The article, what it warns of, and the names of the rules.
PITFALLS: Sequence[tuple[str, str, tuple[str, ...]]] = (
    ("A", "Dropout and BatchNorm need `eval()` before predicting", ("missing-eval",)),
    ("A", "... and `train()` before training goes on", ("missing-train",)),
    ("A", "a functional dropout is not switched off by `eval()`", ("functional-dropout",)),
    ("A", "`Conv1d` and pooling work on the last dimension", ("transposed-conv-input",)),
    ("A", "saving the whole model instead of its parameters", ("whole-model-save",)),
    ("A", "a whole model only loads where its class is", ("whole-model-save", "load-defaults")),
    ("A", "the GPU has to be named for the model and all data", ("hard-coded-cuda",)),
    ("A", "`.cuda()` of a tensor gives a copy", ("discarded-move",)),
    ("A", "`Variable(data, volatile=...)` when predicting", ("volatile-flag", "variable-wrapper")),
    ("A", "predicting without keeping a graph", ("missing-no-grad",)),
    ("A", "arrays of numpy and tensors are not the same", ("numpy-from-graph",)),
    ("A", "a loss of one's own and how gradients go through it", ("legacy-function",)),
    ("B", "no `Variable` any more since 0.4", ("variable-wrapper",)),
    ("B", "`.permuate` for more than two dimensions", ("renamed-tensor-method",)),
    ("B", "`.squeeze()` removes every dimension of size 1", ("squeeze-all",)),
    ("B", "`.view` after a transposition", ("view-unknown-contiguity", "contiguous-view")),
    ("B", "BCELoss takes float targets", ("loss-target-type",)),
    ("B", "CrossEntropyLoss takes class indices", ("loss-target-type", "loss-input-mismatch")),
    ("B", "parameters of one's own have to be initialized", ("uninitialised-parameter",)),
    ("B", "`Parameter(torch.Tensor(n, m))`", ("legacy-constructor",)),
    ("B", "`self.weight.data.uniform_`", ("data-attribute",)),
    ("B", "a network inside another one stays on the CPU", ("forgotten-submodule",)),
    ("B", "`import torch.cuda as t` or `torch`, by a flag", ("cuda-guard", "cuda-tensor-type")),
    ("B", "moving a model by hand", ("hard-coded-cuda", "discarded-move")),
    ("B", "`.numpy()` of a tensor on the GPU", ("numpy-from-graph",)),
    ("C", "gradients add up until `zero_grad()`", ("missing-zero-grad",)),
    ("C", "`p.data.sub_(p.grad.data * lr)`", ("data-attribute",)),
    ("C", "everything is recorded, and memory explodes", ("loss-accumulation", "missing-no-grad")),
    ("C", "`.creator` and `.grad_fn`", ("renamed-tensor-method",)),
    ("C", "`grad_variables=`, `retain_variables=` of `backward`", ("retain-variables",)),
    ("C", "`.data` to leave the graph", ("data-attribute",)),
    ("C", "`.item()` for a number", ("scalar-data-index", "tensor-metric")),
    ("C", "`.view` needs contiguous memory", ("view-unknown-contiguity", "contiguous-view")),
    ("C", "`LongTensor(5)` is a size, `LongTensor([5])` is a value", ("legacy-constructor",)),
    ("C", "`torch.max(output.data, 1)`", ("renamed-tensor-method", "data-attribute")),
    ("C", "masks of bytes", ("byte-mask",)),
    ("C", "`pin_memory=torch.cuda.is_available` is not called", ("uncalled-is-available",)),
    ("C", "`drop_last`, `shuffle=split == 'train'`, `num_workers`", ("loader-arguments",)),
    ("C", "NLLLoss takes log-probabilities", ("loss-input-mismatch", "log-of-softmax")),
    ("C", "NLLLoss takes indices, not one-hot vectors", ("loss-target-type",)),
    ("C", "softmax over which dimension", ("implicit-dim",)),
    ("C", "CrossEntropyLoss is LogSoftmax and NLLLoss", ("loss-input-mismatch",)),
    ("C", "the loss in a list: `loss.item()`", ("loss-accumulation",)),
    ("C", "what KLDivLoss takes and returns", ("kl-div",)),
    ("C", "initializing `embedding.weight.data`", ("data-attribute",)),
    ("C", "Dropout scales what is left", ("functional-dropout", "missing-eval")),
    ("C", "LSTM with and without `batch_first`, shape of `h_n`", ("rnn-layout",)),
    ("C", "evaluating under `no_grad`", ("missing-no-grad", "volatile-flag")),
    ("C", "`correct += (prediction == labels).sum().item()`", ("tensor-metric",)),
    ("C", "`pack_padded_sequence` wants sorted lengths", ("rnn-layout",)),
    ("C", "an embedding in front of `Conv1d`, `MaxPool1d`", ("transposed-conv-input",)),
    ("C", "BatchNorm in a test with one sample", ("missing-eval",)),
    ("C", "arguments of layers that got new names", ("renamed-module-argument",)),
    ("C", "`torch.cuda.memory_allocated` and its relatives", ("renamed-cuda-api",)),
    ("C", "`clip_grad_norm_`", ("renamed-clip",)),
    ("D", "`torch.Tensor(5, 3)`", ("legacy-constructor",)),
    ("D", "code for any device", ("hard-coded-cuda", "cuda-guard")),
    ("D", "a seed for every generator that is used", ("seed-all",)),
    ("D", "names of torchvision's transforms", ("torchvision-renames",)),
    ("D", "`num_workers` and `pin_memory`", ("loader-arguments", "main-guard")),
    ("D", "a model is moved before its optimizer is built", ("optimizer-before-move",)),
    ("D", "whole objects may not load: `state_dict`", ("whole-model-save", "load-defaults")),
    ("D", "the optimizer's state belongs to a checkpoint", ("optimizer-state",)),
    ("D", "`hx.max.item()` does not call", ("bound-method-call",)),
    ("D", "set `train()` by hand", ("missing-train",)),
    ("D", "`zero_grad()` before `backward()`", ("missing-zero-grad",)),
    ("D", "keep numbers, not graphs: `.item()`", ("loss-accumulation", "scalar-data-index")),
    ("D", "`.detach()` for truncated backpropagation", ("graph-across-batches",)),
    ("D", "`eval()` before testing", ("missing-eval",)),
    ("D", "`no_grad()` when testing", ("missing-no-grad", "volatile-flag")),
    ("D", "`size_average=False`", ("size-average",)),
    ("D", "memory", ("loop-hygiene",)),
    ("D", "many processes with many threads each", ("multiprocessing-threads",)),
    ("E", "`seed_torch` in front of everything", ("seed-all",)),
    ("E", "`zero_grad()` of the model or of the optimizer", ("missing-zero-grad",)),
    ("E", "`init.xavier_uniform`", ("init-without-underscore", "uninitialised-parameter")),
    ("E", "`forward()` does without hooks", ("forward-call",)),
    ("E", "NLLLoss and CrossEntropyLoss", ("loss-input-mismatch", "log-of-softmax")),
    ("E", "softmax over which dimension", ("implicit-dim",)),
    ("E", "`.view` of what is not contiguous", ("view-unknown-contiguity", "contiguous-view")),
    ("E", "`register_backward_hook`", ("backward-hook",)),
    ("E", "`autograd.grad(..., only_inputs=True)`", ("only-inputs",)),
    ("E", "gradients of single samples in a loop", ("loop-hygiene",)),
    ("E", "`num_workers` that slow the loop down", ("loader-arguments",)),
    ("E", "labels that begin with 1", ("loss-target-type",)),
    ("E", "all data in one batch, `empty_cache()`", ("loop-hygiene",)),
)


def seed_table(rules: Sequence[Rule]) -> str:
    """Every pitfall of the articles with its rules, as a Markdown table."""
    by_name = {rule.name: rule for rule in rules}
    lines = [
        *(f"- **{letter}**: {title}" for letter, title in ARTICLES.items()),
        "",
        "| | pitfall | rule | what becomes of it | fixture | test |",
        "|---|---|---|---|---|---|",
    ]
    for letter, pitfall, names in PITFALLS:
        for name in names:
            rule = by_name[name]
            stem = name.replace("-", "_")
            does = "advice" if rule.numerics is Numerics.ADVICE else "rewritten"
            lines.append(
                f"| {letter} | {pitfall} | {rule.code} {name} | {does}"
                f" | fixtures/rules/{stem}.py | tests/rules/test_{stem}.py |"
            )
    return "\n".join(lines) + "\n"
