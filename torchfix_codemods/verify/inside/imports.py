"""Something to do as soon as a module was imported."""

from __future__ import annotations

import importlib.machinery
import sys
from typing import Any, Callable


def after_import(name: str, callback: Callable[[Any], None]) -> None:
    """Call back with a module when it is imported for the first time.

    Args:
        name: the module's full name.
        callback: takes the module.
    """

    class Watcher:
        def find_spec(self, wanted: str, path: Any = None, target: Any = None) -> Any:
            if wanted != name:
                return None
            sys.meta_path.remove(self)
            spec = importlib.machinery.PathFinder.find_spec(wanted, path, target)
            if spec is not None and spec.loader is not None:
                loader: Any = spec.loader
                execute = loader.exec_module

                def exec_module(module: Any) -> None:
                    execute(module)
                    callback(module)

                loader.exec_module = exec_module
            return spec

    sys.meta_path.insert(0, Watcher())
