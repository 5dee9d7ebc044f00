"""What the equivalence harness found out, as the text of a file."""

from __future__ import annotations

from torchfix_codemods.report.verification import document, markdown
from torchfix_codemods.report.verification_html import page
from torchfix_codemods.verify.verdicts import Verification


def as_file(verification: Verification, suffix: str) -> str:
    """The verification as the text of a file.

    Args:
        verification: what was found out.
        suffix: ``.json``, ``.md`` or ``.html``.
    """
    if suffix == ".json":
        return document(verification) + "\n"
    if suffix == ".md":
        return markdown(verification)
    return page(verification)
