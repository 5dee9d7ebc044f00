"""The old calls that take numbers in front of their tensors: ``torch.add(x, alpha, y)``."""

from __future__ import annotations

#: For each operation: how many tensors it takes besides the first, and what its numbers are called.
_OPERATIONS = {
    **dict.fromkeys(("add", "sub"), (1, ("alpha",))),
    **dict.fromkeys(("addcmul", "addcdiv"), (2, ("value",))),
    **dict.fromkeys("addmm addmv addr addbmm baddbmm".split(), (2, ("beta", "alpha"))),
}

OPERATIONS = frozenset(_OPERATIONS)


def numbers_first(operation: str, given: int, *, is_method: bool) -> dict[int, str]:
    """What the numbers between the arguments of an operation are called, by their places.

    Args:
        operation: ``add``, or ``add_`` of the method in place.
        given: how many arguments are given by place.
        is_method: whether they are those of a method, whose tensor is not among them.
    """
    name = operation.removesuffix("_") if is_method else operation
    count, keywords = _OPERATIONS.get(name, (0, ()))
    own = 0 if is_method else 1
    numbers = given - own - count
    if not 0 < numbers <= len(keywords):
        return {}
    # beta stands even in front of the first tensor.
    places = (0 if "beta" in keywords else own, own + 1)
    return dict(zip(places, keywords[:numbers], strict=False))
