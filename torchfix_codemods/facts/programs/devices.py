"""What tells whether a module works on a GPU."""

from __future__ import annotations

import ast

from torchfix_codemods.record import record


@record
class Flag:
    """An expression that tells whether CUDA is to be used."""

    text: str
    after: ast.stmt | None
    """The statement that gives it its value; None for ``torch.cuda.is_available()``, and for what
    a function is given."""
    function: ast.FunctionDef | None = None
    """The function that it is known in; None: the module level."""

    @property
    def is_of_object(self) -> bool:
        """Whether an object keeps it, which its methods ask: ``self.use_cuda``."""
        return self.text.startswith("self.")

    @property
    def asks_for_cuda(self) -> bool:
        """Whether it is not what the file computed before, but asks torch anew."""
        return self.text.endswith(".cuda.is_available()")
