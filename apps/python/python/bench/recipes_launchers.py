"""Small launches of the launchers of symm-mem-recipes (github.com/yifuwang/symm-mem-recipes), as they are."""

import torch
import torch.distributed as dist
from torch._C._distributed_c10d import _SymmetricMemory

BF16 = torch.bfloat16


def shared(size, value):
    strides = [1]
    for extent in size[:0:-1]:
        strides.insert(0, strides[0] * extent)
    group = dist.group.WORLD.group_name
    empty = _SymmetricMemory.empty_strided_p2p(size=size, stride=tuple(strides), dtype=BF16, device="cuda", group_name=group)
    return empty.fill_(value)


def one_shot(rank):
    from symm_mem_recipes.triton_one_shot_all_reduce import one_shot_all_reduce

    ranks = dist.get_world_size()
    out = one_shot_all_reduce(shared((8192,), rank + 1))
    return out, torch.full_like(out, ranks * (ranks + 1) // 2)


TILE = {"BLOCK_SIZE_M": 16, "BLOCK_SIZE_N": 16, "BLOCK_SIZE_K": 16, "GROUP_SIZE_M": 1, "num_stages": 2, "num_warps": 1}


def all_gather_matmul(rank):
    from symm_mem_recipes.triton_all_gather_matmul import all_gather_matmul_tma_persistent

    ranks = dist.get_world_size()
    gathered, out = (torch.empty((16 * ranks, 16), dtype=BF16, device="cuda") for _ in range(2))
    weights = torch.ones((16, 16), dtype=BF16, device="cuda")
    all_gather_matmul_tma_persistent(shared((16, 16), rank + 1), weights, gathered, out, TILE)
    return out, 16 * torch.cat([torch.full((16, 16), r + 1, dtype=BF16) for r in range(ranks)])


RANKS = (2, 4)

LAUNCHERS = {launcher.__name__: launcher for launcher in (one_shot, all_gather_matmul)}

#: What mends a launcher: the file, a text and what replaces it.
MENDS = {
    "all_gather_matmul": ("symm_mem_recipes/triton_all_gather_matmul.py", "ld.global.relaxed.gpu", "ld.global.acquire.gpu"),
}
