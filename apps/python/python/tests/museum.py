"""The launches of the museum's kernels, in Python alone."""

import ctypes

U64 = ctypes.c_uint64


class Peers(ctypes.Structure):
    """Two tables of pointers by value: `data` or `inbox`, and `flags`."""

    _fields_ = [("data", U64 * 8), ("flags", U64 * 8)]


class Table(ctypes.Structure):
    """One table of pointers by value."""

    _fields_ = [("at", U64 * 8)]


def peers(mem, *buffers):
    tables = [(U64 * 8)(*[one.at(r) for r in range(mem.ranks)]) for one in buffers]
    return (Table if len(tables) == 1 else Peers)(*tables)


def all_reduce(flags="uint32"):
    def args(rank, mem, launch):
        data, flag, out = mem.zeros("data", 4, "uint32"), mem.zeros("flags", 8, flags), mem.zeros("out", 4, "uint32")
        mem.expect(out, [sum(r + i + 2 for r in range(mem.ranks)) for i in range(4)])
        return [peers(mem, data, flag), data, out, 4, rank, mem.ranks, launch + 1]

    return dict(entry="allReduce", ranks=2, grid=1, block=4, args=args)


def bulk_stage_reuse(rank, mem, launch):
    data, inbox = mem.local("data", U32([100 * rank + i for i in range(32)])), mem.zeros("inbox", 64, "uint32")
    flags, out = mem.zeros("flags", 1, "uint32"), mem.zeros("out", 32, "uint32")
    mem.expect(out, [100 * ((rank + mem.ranks - 1) % mem.ranks) + i for i in range(32)])
    return [peers(mem, inbox, flags), data, out, 4, rank, mem.ranks, launch + 1]


def cleared_too_early(rank, mem, launch):
    mailbox, out = mem.zeros("mailbox", 3 * mem.ranks, "uint32"), mem.zeros("out", mem.ranks, "uint32")
    mem.expect(out, [400 + 10 * r + 1 for r in range(mem.ranks)])
    return [mailbox, mem.multicast(mailbox), out, 1, rank, mem.ranks, launch]


def flag_in_graph(rank, mem):
    data, flags = mem.zeros("data", 4, "uint32"), mem.zeros("flags", 16, "uint32")
    out, round = mem.zeros("out", 4, "uint32"), mem.zeros("round", 1, "uint32")
    mem.expect(out, [sum(r + i for r in range(mem.ranks)) for i in range(4)])
    return [peers(mem, data, flags), data, out, round, 4, rank, mem.ranks, 1]


def fused_input_copy(rank, mem, launch):
    buffer, input = mem.zeros("buffer", 2), mem.local("input", F32([10 * rank + i for i in range(4)]))
    out, pads = mem.zeros("out", 2), mem.zeros("signal_pad", mem.ranks, "uint32")
    mem.expect(out, [sum(10.0 * r + 2 + i for r in range(mem.ranks)) for i in range(2)])
    tables = [mem.local(name, (U64 * mem.ranks)(*[one.at(r) for r in range(mem.ranks)])) for name, one in (("buffers", buffer), ("pads", pads))]
    return [*tables, input.at(rank, 8 * launch), out, 2, rank, mem.ranks]


def leaving_before_peers(rank, mem, launch):
    flags, arrived = mem.zeros("flags", mem.ranks, "uint32"), mem.zeros("arrived", 1, "uint32")
    sums, out = mem.zeros("sums", 2, "uint32"), mem.zeros("out", 2, "uint32")
    mem.expect(out, [sum(2 * (10 * r + i) + 1 for r in range(mem.ranks)) for i in range(2)])
    return [peers(mem, flags), arrived, sums, mem.multicast(sums), out, 2, rank, mem.ranks, launch + 1]


def signal_before_copy(rank, mem, launch):
    data, inbox = mem.local("data", U32([100 * rank + i for i in range(32)])), mem.zeros("inbox", 64, "uint32")
    flags, out = mem.zeros("flags", 1, "uint32"), mem.zeros("out", 32, "uint32")
    source = (rank + mem.ranks - 1) % mem.ranks
    mem.expect(out, [2 * (100 * rank + i) + 2 * (100 * source + i) for i in range(32)])
    return [peers(mem, inbox, flags), data, out, rank, mem.ranks, launch + 1]


def stage_without_fence(rank, mem, launch):
    data, inbox = mem.local("data", U32([100 * rank + i for i in range(96)])), mem.zeros("inbox", 192, "uint32")
    flags, out = mem.zeros("flags", 1, "uint32"), mem.zeros("out", 96, "uint32")
    source = (rank + mem.ranks - 1) % mem.ranks
    mem.expect(out, [100 * rank + 100 * source + 2 * i for i in range(96)])
    return [peers(mem, inbox, flags), data, out, 3, rank, mem.ranks, launch + 1]


def stale_signal(rank, mem, launch):
    data, flags = mem.zeros("data", 8 * mem.ranks, "uint32"), mem.zeros("flags", 2 * mem.ranks, "uint32")
    out = mem.zeros("out", 4, "uint32")
    mem.expect(out, [sum(300 + 10 * r + i for r in range(mem.ranks)) for i in range(4)])
    return [peers(mem, data, flags), out, 4, rank, mem.ranks, launch + 1]


def sum_of_two_nics(rank, mem):
    inbox, ready, out = mem.zeros("inbox", 8, "uint32"), mem.zeros("ready", 2, "uint32"), mem.zeros("out", 8, "uint32")
    if rank == 1:
        mem.expect(out, [100 * (i // 2) + i % 2 for i in range(8)])
    return [inbox.at(1), ready.at(1), out, 4, 2, rank]


def two_streams(rank, mem, launch):
    inbox, epochs = mem.zeros("inbox", 8 * mem.ranks, "uint32"), mem.zeros("epochs", 2, "uint32")
    out = mem.zeros("out", 4, "uint32")
    mem.expect(out, [sum(1 + r + i % 2 for r in range(mem.ranks)) for i in range(4)])
    return [peers(mem, inbox), epochs, out, 2, rank, mem.ranks, launch % 2]


def experts(grid):
    def args(rank, mem, launch):
        mail, parts = mem.zeros("mail", mem.ranks, "uint32"), mem.zeros("parts", grid, "uint32")
        arrived, out = mem.zeros("arrived", 1, "uint32"), mem.zeros("out", mem.ranks, "uint32")
        mem.expect(out, [grid * (r + 1) for r in range(mem.ranks)])
        return [peers(mem, mail), parts, arrived, out, rank, mem.ranks, launch == 0]

    options = ["--resident-ctas", "4"]
    return dict(entry="experts", ranks=2, grid=grid, block=2, streams=2, args=args, options=options)


def U32(values):
    return (ctypes.c_uint32 * len(values))(*values)


def F32(values):
    return (ctypes.c_float * len(values))(*values)


#: The launches by folder.
EXHIBITS = {
    "bulk-stage-reuse": dict(entry="send", ranks=2, grid=1, block=8, args=bulk_stage_reuse),
    "cleared-too-early": dict(entry="allGather", ranks=2, grid=1, block=1, launches=5, args=cleared_too_early),
    "fence-in-one-lane": all_reduce(),
    "flag-in-graph": dict(entry="allReduce", ranks=2, grid=1, block=4, args=flag_in_graph),
    "fused-input-copy": dict(entry="oneShotAllReduce", ranks=2, grid=1, block=2, args=fused_input_copy),
    "leaving-before-peers": dict(entry="reduceAll", ranks=2, grid=2, block=2, launches=1, args=leaving_before_peers),
    "mixed-size-flags": all_reduce("uint64"),
    "no-end-barrier": all_reduce(),
    "signal-before-copy": dict(entry="add_tiles", ranks=2, grid=1, block=32, args=signal_before_copy),
    "stage-without-fence": dict(entry="combine", ranks=2, grid=1, block=64, args=stage_without_fence),
    "stale-signal": dict(entry="exchange", ranks=2, grid=1, block=4, launches=3, args=stale_signal),
    "sum-of-two-nics": dict(entry="sendAndReceive", ranks=2, grid=2, block=2, launches=1, args=sum_of_two_nics),
    "two-streams": dict(entry="allReduce", ranks=2, grid=1, block=2, streams=2, args=two_streams),
}
