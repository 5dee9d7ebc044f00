"""Methods that show what they are asked of to be neither a tensor nor a container of tensors."""

from __future__ import annotations

import collections

from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts

#: Methods that a module has and neither a dict nor a tensor.
MODULE_METHODS = frozenset(
    """eval train parameters named_parameters modules named_modules children named_children forward
    state_dict zero_grad load_state_dict""".split()
)
#: What ``torch.load`` reads besides tensors, however it is called.
_READ = (
    *(dict, list, tuple, set, str, bytes, bytearray, int, float, complex),
    *(collections.OrderedDict, collections.Counter),
)


def only_objects_have(facts: Facts, method: str) -> bool:
    """Whether a method is one of modules, or one of the project that nothing else is known to have.

    ``model.get_vector(word)``, of which a class of the project has the definition.
    """
    if method in MODULE_METHODS:
        return True
    is_old = bool(torch_table.forms_of_old(f"torch.Tensor.{method}"))
    if is_old or torch_table.is_method(method) or any(hasattr(k, method) for k in _READ):
        return False
    files = facts.files
    return method in facts.names.defined or (files is not None and files.is_defined(method))
