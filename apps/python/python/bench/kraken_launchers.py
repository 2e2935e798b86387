"""Small launches of the launchers of Kraken (github.com/meta-pytorch/kraken), which are not changed.

``--kraken`` of times.py names a checkout. Each launcher has the name of Kraken's, or one close to it.
"""

import torch
import torch.distributed as dist
import torch.distributed._symmetric_memory as symm_mem

BF16 = torch.bfloat16


def total():
    """The sum of rank + 1 over all ranks."""
    return dist.get_world_size() * (dist.get_world_size() + 1) // 2


def shared(size, value):
    tensor = symm_mem.empty(size, dtype=BF16, device="cuda").fill_(value)
    symm_mem.rendezvous(tensor, dist.group.WORLD)
    return tensor


def full(size, value, dtype=BF16):
    return torch.full(size, float(value), dtype=dtype, device="cuda")


def one_shot(rank):
    from kraken.comm import one_shot_all_reduce

    out = one_shot_all_reduce(shared(256, rank + 1), num_warps=1, BLOCK_SIZE=128)
    return out, torch.full_like(out, total())


def two_shot(rank):
    from kraken.comm import two_shot_all_reduce

    out = two_shot_all_reduce(full((512,), rank + 1), num_warps=1, BLOCK_SIZE=64)
    return out, torch.full_like(out, total())


def with_bias(launcher, rank, **given):
    out = torch.empty(4096, dtype=BF16, device="cuda")
    launcher(shared(4096, 0), full((4096,), rank + 1), full((4096,), 2), out, **given)
    return out, torch.full_like(out, total() + 2)


def one_shot_bias(rank):
    from kraken.fused import one_shot_all_reduce_bias

    return with_bias(one_shot_all_reduce_bias, rank, BLOCK_SIZE=2048)


def two_shot_bias(rank):
    from kraken.fused import two_shot_all_reduce_bias

    return with_bias(two_shot_all_reduce_bias, rank, BLOCK_SIZE=1024)


def with_norm(launcher, rank):
    size = (2, 1024)
    out = torch.empty(size, dtype=BF16, device="cuda")
    launcher(shared(size, 0), full(size, rank + 1), full(size, 2), full(size[1:], 3), out)
    return out, torch.full_like(out, 3)


def one_shot_bias_rms_norm(rank):
    from kraken.fused import one_shot_all_reduce_bias_rms_norm

    return with_norm(one_shot_all_reduce_bias_rms_norm, rank)


def two_shot_bias_rms_norm(rank):
    from kraken.fused import two_shot_all_reduce_bias_rms_norm

    return with_norm(two_shot_all_reduce_bias_rms_norm, rank)


TILE = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 16, "BLOCK_SIZE_K": 16, "num_warps": 1}
TMA_TILE = {"block_size_m": 16, "block_size_n": 16, "block_size_k": 16, "group_size_m": 1, "num_stages": 2, "num_warps": 1}


def gemm_one_shot(rank):
    from kraken.fused import gemm_one_shot_all_reduce_fused

    out = gemm_one_shot_all_reduce_fused(full((32, 16), rank + 1, torch.float32), full((16, 32), 1, torch.float32), **TILE)
    return out, torch.full_like(out, 16 * total())


def gemm_reduce_scatter(rank):
    from kraken.fused import gemm_reduce_scatter

    rows = 16 * dist.get_world_size()
    out = gemm_reduce_scatter(full((rows, 16), rank + 1, torch.float32), full((16, 16), 1, torch.float32), **TILE)
    return out, torch.full_like(out, 16 * total())


def all_gather_matmul(rank):
    from kraken.fused import all_gather_matmul

    gathered, out = all_gather_matmul(shared((16, 16), rank + 1), full((16, 16), 1).T, **TMA_TILE)
    expected = torch.cat([torch.full((16, 16), r + 1, dtype=BF16) for r in range(dist.get_world_size())])
    return [(gathered, expected), (out, 16 * expected)]


def gemm_reduce_scatter_copy_engine(rank):
    from kraken.fused import gemm_reduce_scatter_ce_persistent

    a = full((16 * dist.get_world_size(), 16), (rank + 1) / 4)
    out = gemm_reduce_scatter_ce_persistent(a, full((64, 16), 1).T, **TMA_TILE)
    return out, torch.full_like(out, 4 * total())


RANKS = (2, 4)

LAUNCHERS = {
    launcher.__name__: launcher
    for launcher in (
        one_shot,
        two_shot,
        one_shot_bias,
        two_shot_bias,
        one_shot_bias_rms_norm,
        two_shot_bias_rms_norm,
        gemm_one_shot,
        gemm_reduce_scatter,
        all_gather_matmul,
        gemm_reduce_scatter_copy_engine,
    )
}


def twice(launch, data, rank):
    """Two launches, with other data in the second."""
    launch(data)
    out = launch(data.fill_(2 * rank + 1))
    return out, torch.full_like(out, dist.get_world_size() ** 2)


def one_shot_twice(rank):
    from kraken.comm import one_shot_all_reduce

    return twice(lambda data: one_shot_all_reduce(data, num_warps=2, BLOCK_SIZE=128), shared(256, rank + 1), rank)


def two_shot_twice(rank):
    from kraken.comm import two_shot_all_reduce

    return twice(lambda data: two_shot_all_reduce(data, num_warps=2, BLOCK_SIZE=64), full((512,), rank + 1), rank)


TWICE = {"one_shot": one_shot_twice, "two_shot": two_shot_twice}

#: The barrier without one of its parts, as a text and what replaces it.
MUTANTS = {
    "the signal is relaxed": ('"release" if hasPreviousMemAccess else "relaxed"', '"relaxed"'),
    "the wait is relaxed": ('"acquire" if hasSubsequentMemAccess else "relaxed"', '"relaxed"'),
    "no barrier of the CTA before": ("    if hasPreviousMemAccess:\n        tl.debug_barrier()\n", ""),
    "no barrier of the CTA after": ("    if hasSubsequentMemAccess:\n        tl.debug_barrier()", ""),
    "CTAs share their words": ("block_id * world_size + ", ""),
    "no wait": ('        _wait_signal(wait_addrs, "acquire" if hasSubsequentMemAccess else "relaxed")\n', ""),
}

BOTH_FLAGS = ("world_size, hasSubsequentMemAccess=True", "world_size, hasPreviousMemAccess=True, hasSubsequentMemAccess=True")

#: What mends a launcher: the file, a text and what replaces it.
MENDS = {
    "gemm_one_shot": ("kraken/fused/gemm_one_shot_all_reduce_fused.py", *BOTH_FLAGS),
    "gemm_reduce_scatter": ("kraken/fused/gemm_reduce_scatter_fused.py", *BOTH_FLAGS),
    "gemm_reduce_scatter_copy_engine": (
        "kraken/fused/gemm_reduce_scatter_ce_persistent.py",
        'sem="release", scope="gpu"',
        'sem="acq_rel", scope="gpu"',
    ),
}
