"""Kernels of Triton for tests."""

import triton
import triton.language as tl


@triton.jit
def reverse(own, far, count: tl.constexpr):
    """Writes the own data to the next rank, in the reverse order."""
    at = tl.arange(0, count)
    tl.store(far + at, tl.load(own + count - 1 - at))


@triton.jit
def add(data, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(
        out + at,
        1 + tl.load(
            data + at,
            mask=at < count,
            other=0.0,
        ),
        mask=at < count,
    )


@triton.jit
def raise_flag(flag, sense: tl.constexpr):
    tl.atomic_xchg(flag, sense, sem="release", scope="sys")


@triton.jit
def await_flag(flag, sense: tl.constexpr):
    while tl.atomic_add(flag, 0, sem="acquire", scope="sys") != sense:
        pass


@triton.jit
def store_in_assembly(target):
    tl.inline_asm_elementwise(
        """{
            .reg .b32 %one;
            mov.b32 %one, 1;
            st.global.b32 [$1], %one;
        }""",
        "=r, l",
        [target],
        dtype=tl.int32,
        is_pure=False,
        pack=1,
    )


@triton.jit
def move_tile(source, target):
    """Copies a tile by descriptors of the host, from the second row and the ninth column on."""
    target.store([0, 0], source.load([1, 8]))
