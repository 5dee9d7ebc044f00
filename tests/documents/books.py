"""Notebooks for the tests, written as Jupyter writes them."""

from __future__ import annotations

import json
from typing import Any

PICTURE = "iVBORw0KGgoAAAANSUhEUgAA/8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg==\n"


def lines(code: str) -> list[str]:
    return code.splitlines(keepends=True)


def code_cell(code: str, outputs: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    return {
        "cell_type": "code",
        "execution_count": 1,
        "metadata": {"collapsed": False},
        "outputs": outputs or [],
        "source": lines(code),
    }


def markdown_cell(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": lines(text)}


def notebook(*cells: str | dict[str, Any], **metadata: Any) -> dict[str, Any]:
    """A notebook of format 4; strings are code cells."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": [code_cell(cell) if isinstance(cell, str) else cell for cell in cells],
        "metadata": {"kernelspec": kernel, **metadata},
        "nbformat": 4,
        "nbformat_minor": 2,
    }


def old_notebook(*cells: str) -> dict[str, Any]:
    """A notebook of format 3."""
    return {
        "metadata": {"name": "", "signature": "sha256:0"},
        "nbformat": 3,
        "nbformat_minor": 0,
        "worksheets": [
            {
                "cells": [
                    {"cell_type": "heading", "level": 1, "metadata": {}, "source": ["torch"]},
                    *(
                        {
                            "cell_type": "code",
                            "collapsed": False,
                            "input": lines(cell),
                            "language": "python",
                            "metadata": {},
                            "outputs": [
                                {"output_type": "stream", "stream": "stdout", "text": ["1\n"]}
                            ],
                            "prompt_number": 1,
                        }
                        for cell in cells
                    ),
                ],
                "metadata": {},
            }
        ],
    }


def written(book: dict[str, Any], indent: int = 1, ensure_ascii: bool = False) -> str:
    """The text of a notebook's file."""
    return json.dumps(book, indent=indent, ensure_ascii=ensure_ascii) + "\n"
