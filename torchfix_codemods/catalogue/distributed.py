"""Several processes."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Gone, Name, all_gone
from torchfix_codemods.finding import Numerics

_DIST = "torch.distributed"
_GROUP = {"group": 0}
_COLLECTIVES = {
    "all_reduce": ("tensor, op=..., group=...", "tensor, op=op"),
    "reduce": ("tensor, dst, op=..., group=...", "tensor, dst, op=op"),
    "broadcast": ("tensor, src, group=...", "tensor, src"),
    "all_gather": ("tensor_list, tensor, group=...", "tensor_list, tensor"),
    "barrier": ("group=...", ""),
}

ROWS = (
    Name(f"{_DIST}.reduce_op", f"{_DIST}.ReduceOp", warns=True),
    *(
        Name(f"{_DIST}.{old}", f"{_DIST}.{new}", since="1.13", warns=True)
        for old, new in (
            ("_all_gather_base", "all_gather_into_tensor"),
            ("_reduce_scatter_base", "reduce_scatter_tensor"),
        )
    ),
    *(
        Call(
            f"{_DIST}.{name}({old})",
            (Form(f"{_DIST}.{name}({new})", _GROUP),),
            claim=Numerics.RESTORED,
        )
        for name, (old, new) in _COLLECTIVES.items()
    ),
    Gone(
        f"{_DIST}._register_stream",
        "drop the line: NCCL's groups have streams of their own, and wait for the current one",
        gone="1.0",
    ),
    Gone(f"{_DIST}.deprecated", "use torch.distributed", gone="1.2"),
    *all_gone(
        _DIST,
        "all_gather_multigpu all_reduce_multigpu broadcast_multigpu reduce_multigpu"
        " reduce_scatter_multigpu",
        "2.2",
        "start one process for each GPU, and call the function without _multigpu",
    ),
    Gone(f"{_DIST}.pipeline", "use torch.distributed.pipelining", gone="2.4"),
    Arguments(
        ("torch.nn.parallel.DistributedDataParallel",),
        parameters=(
            "module",
            "device_ids",
            "output_device",
            "dim",
            "broadcast_buffers",
            "process_group",
            "bucket_cap_mb",
            "find_unused_parameters",
        ),
        keywords_from=5,
        rule="TP905",
        claim=Numerics.RESTORED,
    ),
)
