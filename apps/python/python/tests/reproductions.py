"""The launches of the project's small reproductions in CUDA that need no stand-in header, in Python alone.

Their kernels are not in the repository: bench/parity.py names a folder with them.
"""

import numpy as np


def flags(words=1, table=False, expected=(7, 7)):
    """A rank stores to its data, and raises the peer's flag. Then it waits for its own, and reads the peer's data."""

    def args(rank, mem):
        flag, data, out = mem.zeros("flag", 2, "uint32"), mem.zeros("data", words, "uint32"), mem.zeros("out", words, "uint32")
        if expected:
            mem.expect(out, expected[:words])
        first = mem.symmetric("table", np.array([flag.at(rank)], np.uint64)) if table else flag
        return [first, flag.at(1 - rank), data, data.at(1 - rank), out]

    return dict(ranks=2, grid=1, block=words, args=args)


def cluster_rank(rank, mem):
    out = mem.zeros("out", 2, "uint32")
    mem.expect(out, [0, 1])
    return [out]


def expect_part(rank, mem):
    mine = mem.zeros("mine", 2, "uint32")
    mem.expect(mine, [2], start=1)
    return [mine, mine.at(1 - rank)]


def same_value_stores(rank, mem):
    out = mem.zeros("out", 8, "uint32")
    mem.expect(out, [1, 1])
    return [out]


#: By the name of the kernel's file. Each has the entries `buggy` and `fixed`, and one launch.
REPRODUCTIONS = {
    "r-bounded-polls": flags(expected=()),
    "r-bounded-polls-2000": flags(expected=()),
    "r-cluster-false-clean": dict(ranks=1, grid=2, block=32, args=lambda rank, mem: [mem.zeros("out", 64, "uint32")]),
    "r-cluster-rank": dict(ranks=1, grid=2, block=1, args=cluster_rank),
    "r-expect-part": dict(ranks=2, grid=1, block=1, args=expect_part),
    "r-same-value-stores": dict(ranks=1, grid=1, block=2, args=same_value_stores),
    "r-timeout-abort": flags(),
    "r-timeout-atomic": flags(words=2),
    "r-timeout-clock": flags(),
    "r-timeout-reloaded": flags(table=True),
    "r-timeout-rounds": flags(),
    "r-timeout-store": flags(words=2),
    "r-timeout-two-threads": flags(words=2),
}
