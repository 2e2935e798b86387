"""Some of the launches in Python alone: the arguments of `nccl_ts.check` beside the PTX."""

import ctypes
from ctypes import c_uint8, c_uint32, c_uint64, c_float

import numpy as np


def struct(name, align=8, **fields):
    """A structure by value, whose size is a multiple of `align`."""
    made = type(name, (ctypes.Structure,), {"_fields_": list(fields.items())})
    rest = -ctypes.sizeof(made) % align
    return made if rest == 0 else type(name, (made,), {"_fields_": [("rest", c_uint8 * rest)]})


Pointers = struct("Pointers", at=c_uint64 * 8)
Fusion = struct("Fusion", nranks=c_uint32, rank=c_uint32, size=c_uint32, hidden_dim=c_uint32, workspace=c_uint64, allreduce_in=c_uint64, allreduce_out=c_uint64, residual_in=c_uint64, residual_out=c_uint64, norm_out=c_uint64, quant_out=c_uint64 * 2, rms_gamma=c_uint64, rms_eps=c_float, weight_bias=c_float, more=c_uint64 * 5)  # fmt: skip
Tokens = struct("Tokens", align=4, of=c_uint32 * 2)
Channel = struct("Channel", inbound=c_uint64, remote=c_uint64, expected=c_uint64, dst=c_uint64, src=c_uint64, packets=c_uint64)  # fmt: skip
Push = struct("Push", input=c_uint64, output=c_uint64, vectors=c_uint32, rank=c_uint32, workspaces=c_uint64 * 2, counter=c_uint64, multicast=c_uint64, slot_bytes=c_uint32)  # fmt: skip
Pull = struct("Pull", output=c_uint64, vectors=c_uint32, rank=c_uint32, graph=c_uint64, semaphores=c_uint64 * 2, workspaces=c_uint64 * 2, multicast_semaphore=c_uint64, multicast=c_uint64)  # fmt: skip


def vllm(stages):
    def args(rank, mem):
        count = 8 * mem.ranks
        data = mem.symmetric("input", [rank + i % 8 for i in range(count)], "bfloat16")
        result = mem.zeros("result", count, "bfloat16")
        signal = mem.zeros("signal", 128 * 27 + 2 * count, "uint8")
        tables = [Pointers((c_uint64 * 8)(*mem.peers(one).tolist())) for one in (data, signal)]
        mem.expect(result, [sum(r + i % 8 for r in range(mem.ranks)) for i in range(count)])
        return [mem.symmetric("RankData", tables[0]), tables[1], signal, result, rank, count // 8]

    return dict(entry=f"cross_device_reduce_{stages}stage<__nv_bfloat16, 2>", ranks=2, grid=1, block=32, args=args)


def deep_ep_barrier(rank, mem):
    signals = mem.zeros("barrier signals", 8, "int32")
    mem.expect(signals, [0] * 8)
    return [mem.peers(signals), rank]


def deep_ep_notify_dispatch(rank, mem):
    n, tokens = mem.ranks, 8
    sent = np.int32([[at + to + 1 for to in range(n)] for at in range(n)])
    data, signals = mem.zeros("buffer", 512, "uint8"), mem.zeros("barrier signals", 8, "int32")
    of = dict(moe_recv_counter=1, moe_recv_expert_counter=1, channel_prefix_matrix=2 * n, rank_prefix_matrix_copy=n**2)
    received, by_expert, channels, prefix = (mem.zeros(name, size, "int32") for name, size in of.items())
    total = np.cumsum(sent[:, rank]).tolist()
    for one in (received, by_expert):
        mem.expect(one, total[-1:])
    mem.expect(prefix, [total[i // n] if i % n == rank else 0 for i in range(n * n)])
    mem.expect(channels, [tokens // 2, tokens] * n)
    counts, is_in_rank = [sent[rank], received, sent[rank], by_expert], np.ones(tokens * n, np.uint8)
    return [*counts, n, tokens, 2, is_in_rank, channels, prefix, n, 1, mem.peers(data), mem.peers(signals), rank]


def deep_ep_cached_notify_combine(rank, mem):
    head = mem.symmetric("send_head", np.int32([-1 if i % 3 == 0 else i for i in range(8 * mem.ranks)]))
    data, signals = mem.zeros("buffer", 512, "uint8"), mem.zeros("barrier signals", 8, "int32")
    return [mem.peers(data), head, 2, 8, 16, mem.peers(signals), rank]


def flashinfer_two_shot(rank, mem):
    data = mem.symmetric("allreduce_in", [1 + rank + i for i in range(64)], "bfloat16")
    out, comm = mem.zeros("allreduce_out", 64, "bfloat16"), mem.zeros("comm", 128, "bfloat16")
    flags, counters = mem.zeros("barrier_flags", 512, "uint32"), mem.zeros("counters", 5, "uint32")
    table = [*mem.peers(comm), *mem.peers(flags), 0, 0, counters.at(rank)]
    workspace = mem.symmetric("workspace", np.array(table, np.uint64))
    params = Fusion(nranks=2, rank=rank, size=64, hidden_dim=16, workspace=workspace.at(rank))
    params.allreduce_in, params.allreduce_out = data.at(rank), out.at(rank)
    mem.expect(out, [3 + 2 * i for i in range(64)])
    return [params, Tokens((0, 2)), Tokens((2, 2))]


def flashinfer_one_shot(rank, mem):
    n, count = mem.ranks, 16
    value = 1 + sum(range(n)) + n * np.arange(count)
    buffers = mem.symmetric("lamport", [-0.0] * (3 * n * count), "bfloat16")
    counters = mem.symmetric("counters", np.array([0, 0, 0, 2 * n * count, 0], np.uint32))
    table = mem.symmetric("workspace", np.array([*[0] * (2 * n), *mem.peers(buffers), counters.at(rank)], np.uint64))
    given = {"allreduce_in": [rank + i for i in range(count)], "residual_in": [1] * count, "rms_gamma": [2] * count}
    norm, residual = mem.zeros("norm_out", count, "bfloat16"), mem.zeros("residual_out", count, "bfloat16")
    places = {name: mem.symmetric(name, values, "bfloat16").at(rank) for name, values in given.items()}
    places |= {"norm_out": norm.at(rank), "residual_out": residual.at(rank), "workspace": table.at(rank)}
    mem.expect(residual, value.tolist())
    mem.expect(norm, list(2 * value / np.sqrt(np.mean(value**2))), tolerance=0.01)
    return [Fusion(nranks=n, rank=rank, size=count, hidden_dim=count, **places)]


def sglang_push(rank, mem, launch):
    values = np.array([rank + i % 16 for i in range(320)])
    data, out = mem.symmetric("input", values, "bfloat16"), mem.zeros("output", 320, "bfloat16")
    if launch > 0:
        mem.write(data, (launch + 1) * values)
    workspace, counter = mem.zeros("workspace", 2 * mem.ranks * 160, "uint32"), mem.zeros("counter", 2, "uint32")
    tables = (c_uint64 * 2)(*mem.peers(workspace).tolist())
    mem.expect(out, [4 * sum(r + i % 16 for r in range(mem.ranks)) for i in range(320)])
    return [Push(data.at(rank), out.at(rank), 40, rank, tables, counter.at(rank), 0, 640)]


def sglang_pull(rank, mem, launch):
    count = 320 * mem.ranks
    values = np.array([rank + i % 8 for i in range(count)])
    workspace, out = mem.symmetric("workspace", values, "bfloat16"), mem.zeros("output", count, "bfloat16")
    if launch > 0:
        mem.write(workspace, (launch + 1) * values)
    semaphores = mem.zeros("semaphores", 2 * 32, "uint32")
    tables = [(c_uint64 * 2)(*mem.peers(one).tolist()) for one in (semaphores, workspace)]
    mem.expect(out, [3 * sum(r + i % 8 for r in range(mem.ranks)) for i in range(count)])
    return [Pull(out.at(rank), count // 8, rank, 0, *tables, 0, 0)]


def mscclpp_all_pairs(rank, mem, launch):
    n, count = mem.ranks, 40
    half = n * count * 8
    values = np.array([rank + i for i in range(count)], np.float32)
    data, out = mem.symmetric("buff", values), mem.zeros("resultBuff", count)
    if launch > 0:
        mem.write(data, (launch + 1) * values)
    scratch = mem.zeros("scratch", 2 * half, "uint8")
    flags = mem.symmetric("flags", np.ones(4, np.uint32))
    handles = [Channel(dst=scratch.at(r), src=data.at(rank)) for r in range(n) if r != rank]
    channels = mem.symmetric("memoryChannels", (Channel * (n - 1))(*handles))
    mem.expect(out, [3 * sum(r + i for r in range(n)) for i in range(count)])
    return [data, scratch, out, channels, 0, 2 * half, rank, n, n, count, 2, flags, 16]


#: By the name of the launch in TypeScript: the file of the PTX, and the arguments of `nccl_ts.check`.
LAUNCHES = {
    "vllm-1stage": ("vllm.ptx", vllm(1)),
    "vllm-2stage-2": ("vllm.ptx", vllm(2)),
    "deepep-barrier": ("deepep-intranode.ptx", dict(entry="intranode::barrier<2>", ranks=2, grid=1, block=32, args=deep_ep_barrier)),  # fmt: skip
    "deepep-notify-dispatch": ("deepep-intranode.ptx", dict(entry="intranode::notify_dispatch<2>", ranks=2, grid=3, block=64, args=deep_ep_notify_dispatch)),  # fmt: skip
    "deepep-cached-notify-combine": ("deepep-intranode.ptx", dict(entry="intranode::cached_notify_combine<2>", ranks=2, grid=3, block=64, args=deep_ep_cached_notify_combine)),  # fmt: skip
    "flashinfer-twoshot": ("fusion.ptx", dict(entry="allreduce_fusion_kernel_twoshot_sync", ranks=2, grid=2, block=2, args=flashinfer_two_shot)),  # fmt: skip
    "flashinfer-oneshot-lamport": ("fusion.ptx", dict(entry="allreduce_fusion_kernel_oneshot_lamport", ranks=2, grid=1, block=2, launches=4, args=flashinfer_one_shot)),  # fmt: skip
    "sglang-push": ("sglang.ptx", dict(entry="all_reduce_1shot_push_kernel", ranks=2, grid=2, block=32, launches=4, args=sglang_push)),  # fmt: skip
    "sglang-pull": ("sglang.ptx", dict(entry="all_reduce_1shot_pull_kernel", ranks=2, grid=2, block=32, launches=3, args=sglang_pull)),  # fmt: skip
    "mscclpp-all-pairs": ("mscclpp-all-pairs.ptx", dict(entry="allreduceAllPairs<(mscclpp::ReduceOp)0, float, float>", ranks=2, grid=1, block=64, launches=3, args=mscclpp_all_pairs)),  # fmt: skip
}
