"""Small launches of the Triton kernels of torchcomms (github.com/meta-pytorch/torchcomms), as they are."""

import os

import torch
import torch.distributed as dist

# Its kernels read numbers of their module that are no constexpr, which Triton refuses otherwise.
os.environ.setdefault("TRITON_ALLOW_NON_CONSTEXPR_GLOBALS", "1")


def sendrecv(rank):
    """Each rank sends to another and receives from it, twice."""
    from comms.prims.triton.collectives.nvl.sendrecv_op import triton_nvl_sendrecv

    sent = torch.full((64,), rank + 1, dtype=torch.bfloat16, device="cuda")
    received = torch.empty_like(sent)
    for _ in range(2):
        triton_nvl_sendrecv(sent, received, rank ^ 1, group=dist.group.WORLD, num_blocks=1, num_warps=4)
    return received, torch.full_like(received, (rank ^ 1) + 1)


#: The launcher takes no other number.
RANKS = (2,)

LAUNCHERS = {"sendrecv": sendrecv}

MENDS: dict[str, tuple[str, str, str]] = {}
