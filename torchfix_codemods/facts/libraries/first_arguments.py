"""Which functions of torch take a tensor as their first argument, and nothing else."""

from __future__ import annotations

import ast

#: Functions of ``torch`` whose first argument may be something else than a tensor: a size, a
#: list, a flag, a device.
_TAKE_OTHERS = frozenset(
    """cat stack tensor as_tensor from_numpy zeros ones empty rand randn full arange range linspace
    eye randperm randint manual_seed save load device set_num_threads set_default_tensor_type
    is_tensor typename set_rng_state concat vstack hstack chain_matmul broadcast_tensors meshgrid
    no_grad enable_grad set_grad_enabled compile set_printoptions Size normal where jit_script
    cartesian_prod block_diag einsum promote_types result_type can_cast finfo iinfo addmm addmv
    addr addbmm baddbmm

    asarray from_dlpack from_file frombuffer scalar_tensor logspace tril_indices triu_indices
    broadcast_shapes empty_permuted empty_quantized empty_strided sparse_coo_tensor
    sparse_csr_tensor sparse_csc_tensor sparse_bsr_tensor sparse_bsc_tensor
    sparse_compressed_tensor bartlett_window blackman_window hamming_window hann_window
    kaiser_window atleast_1d atleast_2d atleast_3d column_stack concatenate dstack row_stack
    align_tensors sym_float sym_fresh_size sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum
    autocast inference_mode vmap cond while_loop fork wait is_storage get_autocast_dtype
    get_device_module import_ir_module parse_ir is_autocast_enabled set_anomaly_enabled
    set_autocast_cache_enabled set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype
    set_autocast_enabled set_autocast_gpu_dtype set_default_device set_default_dtype
    set_deterministic set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal
    set_num_interop_threads set_warn_always use_deterministic_algorithms""".split()
)

#: Functions of ``torch`` that take a number and a tensor as well: ``torch.mul(2.0, x)``.
_TAKE_NUMBERS = frozenset(
    """add sub subtract rsub mul multiply div divide true_divide floor_divide float_power pow
    remainder bitwise_and bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift bucketize
    isin polygamma xlogy""".split()
)

_OF_FUNCTIONAL = frozenset(
    """embedding_bag handle_torch_function has_torch_function has_torch_function_unary
    has_torch_function_variadic""".split()
)


def takes_tensor_first(name: str, call: ast.Call) -> bool:
    """Whether only a tensor can be the first argument of a call of torch.

    Args:
        name: the qualified name of what is called.
        call: the call of it.
    """
    module, _, function = name.rpartition(".")
    if module == "torch.nn.functional":
        return function not in _OF_FUNCTIONAL
    if module == "torch.nn.init":
        return function != "calculate_gain"
    if module != "torch" or not function[:1].islower() or function in _TAKE_OTHERS:
        return False
    # One of both is a tensor, or it would raise.
    return function not in _TAKE_NUMBERS or _is_number(call.args[1:2])


def _is_number(given: list[ast.expr]) -> bool:
    """Whether an argument is a number that is written down."""
    value = given[0] if given else None
    if isinstance(value, ast.UnaryOp):
        value = value.operand
    return isinstance(value, ast.Constant) and isinstance(value.value, (int, float))
