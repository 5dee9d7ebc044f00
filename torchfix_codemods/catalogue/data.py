"""Data sets and loaders."""

from __future__ import annotations

from torchfix_codemods.catalogue.rows import Arguments, Call, Form, Given, Gone, Name, all_gone

_LOADER = "torch.utils.data.dataloader"
_COLLATE = "torch.utils.data._utils.collate"
_WORKERS = (
    "it was private to DataLoader; use torch.utils.data.DataLoader, and put what this file adds to "
    "it into collate_fn, worker_init_fn or the dataset"
)

ROWS = (
    Call(
        "torch.utils.data.TensorDataset(data_tensor, target_tensor)",
        (
            Form(
                "torch.utils.data.TensorDataset(data_tensor, target_tensor)",
                {"target_tensor": Given.NAMED},
            ),
        ),
        rule="TP902",
        gone="0.4",
        still=True,
    ),
    *(
        Name(f"{_COLLATE}.{name}", f"torch.utils.data.{name}", since="1.11", tor="TOR104, TOR105")
        for name in ("default_collate", "default_convert")
    ),
    Arguments(
        ("torch.utils.data.Sampler",),
        parameters=("data_source",),
        drops=("data_source",),
        bases=True,
        gone="2.10",
    ),
    *(
        Gone(
            f"{_LOADER}.{name}",
            "what iter(loader) gives has private classes; write iter(loader)",
            gone=gone,
        )
        for name, gone in (("DataLoaderIter", "0.4"), ("_DataLoaderIter", "1.2"))
    ),
    *all_gone(
        _LOADER,
        "numpy_type_map",
        "1.1",
        "torch.from_numpy(np.array(numbers, dtype=name)) makes the tensor of that type",
    ),
    *all_gone(
        _LOADER,
        "pin_memory_batch",
        "1.1",
        "it was private; call pin_memory() of the tensors of the batch",
    ),
    *all_gone(
        _LOADER,
        "_use_shared_memory",
        "1.1",
        "write torch.utils.data.get_worker_info() is not None",
    ),
    *all_gone(_LOADER, "_worker_manager_loop", "1.0", _WORKERS),
    *all_gone(
        _LOADER,
        "_worker_loop _pin_memory_loop _set_SIGCHLD_handler _SIGCHLD_handler_set ManagerWatchdog "
        "MP_STATUS_CHECK_INTERVAL _python_exit_status _set_python_exit_flag",
        "1.1",
        _WORKERS,
    ),
    Gone("torch._C._update_worker_pids", _WORKERS, gone="1.1"),
    *all_gone(
        "torch.utils.data",
        "DataLoader2 communication dataloader_experimental sharding",
        "2.0",
        "it was a prototype, which the package torchdata had up to its version 0.9",
    ),
    *all_gone(
        "torch.utils.data",
        "BufferedShuffleDataset",
        "2.0",
        "write torch.utils.data.datapipes.iter.Shuffler(dataset, buffer_size=buffer_size), of a"
        " data set in torch.utils.data.datapipes.iter.IterableWrapper(...)",
    ),
)
