"""A one-shot AllReduce: every rank adds up the data of all ranks, which it reads through the peers' pointers.

Flags are stored and polled by inline assembly, since Triton's own atomics cannot poll. Each program of a rank meets the same program
of every peer before it reads, and again before it ends.
"""

import triton
import triton.language as tl


@triton.jit
def signal(flag_pointers, peer, slot, epoch):
    """Tells a peer that this program has come to `epoch`. What the program did before is visible to whoever reads it."""
    address = tl.load(flag_pointers + peer) + 4 * slot
    # The text begins on the line of the call, so that the lines which the compiler counts are those of this file.
    tl.inline_asm_elementwise("""
        fence.acq_rel.sys;
        st.relaxed.sys.global.u32 [$1], $2;
        mov.u32 $0, 0;
        """,
        "=r,l,r",
        [address, epoch],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def wait(flag_pointers, rank, slot, epoch):
    """Waits until a peer has come to `epoch`."""
    address = tl.load(flag_pointers + rank) + 4 * slot
    tl.inline_asm_elementwise("""
        {
            .reg .pred %behind;
            .reg .u32 %found;
        again:
            ld.acquire.sys.global.u32 %found, [$1];
            setp.lt.u32 %behind, %found, $2;
            @%behind bra again;
            mov.u32 $0, %found;
        }
        """,
        "=r,l,r",
        [address, epoch],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def barrier(flag_pointers, program, rank, epoch, RANKS: tl.constexpr):
    tl.debug_barrier()
    for peer in tl.static_range(RANKS):
        signal(flag_pointers, peer, program * RANKS + rank, epoch)
    for peer in tl.static_range(RANKS):
        wait(flag_pointers, rank, program * RANKS + peer, epoch)
    tl.debug_barrier()


@triton.jit
def all_reduce(data_pointers, flag_pointers, mine, out, count, rank, epoch, RANKS: tl.constexpr, BLOCK: tl.constexpr):
    program = tl.program_id(0)
    at = program * BLOCK + tl.arange(0, BLOCK)
    inside = at < count
    tl.store(mine + at, rank + at.to(tl.float32), mask=inside)
    barrier(flag_pointers, program, rank, 2 * epoch + 1, RANKS)
    total = tl.zeros([BLOCK], tl.float32)
    for peer in tl.static_range(RANKS):
        data = tl.load(data_pointers + peer).to(tl.pointer_type(tl.float32))
        total += tl.load(data + at, mask=inside, other=0.0)
    tl.store(out + at, total, mask=inside)
    barrier(flag_pointers, program, rank, 2 * epoch + 2, RANKS)
