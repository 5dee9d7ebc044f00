"""Text to tree, and what is said where there is none."""

from __future__ import annotations

import ast
import warnings

from torchfix_codemods.finding import FileError
from torchfix_codemods.text.repair import explain_syntax_error
from torchfix_codemods.text.stack import is_deep


class FailedError(Exception):
    """A text that cannot be migrated as a whole; ``error`` says why."""

    def __init__(self, error: FileError) -> None:
        super().__init__(error.message)
        self.error = error


def is_valid(text: str) -> bool:
    """Whether a rewritten text is Python."""
    try:
        parse(text, after_edit=True)
    except FailedError:
        return False
    return True


def parse(text: str, after_edit: bool = False) -> ast.Module:
    """Parse a module.

    Raises:
        FailedError: it is not valid Python; when ``after_edit``, because a rewrite broke it.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, RecursionError) and not is_deep():
            raise
        if after_edit:
            raise FailedError(
                FileError("broken", f"a rewrite made it invalid ({error}); left as it is")
            ) from error
        if isinstance(error, SyntaxError):
            raise FailedError(FileError(*explain_syntax_error(text, error))) from error
        raise FailedError(FileError("syntax", f"cannot be parsed: {error}")) from error
