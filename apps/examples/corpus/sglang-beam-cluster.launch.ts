import { array, bf16, bytes, f32, harness, ptr, struct, u32 } from '@nccl-ts/harness';

/** The 120 bytes of parameter 0: fields that the kernel reads have a type. */
const Param0 = struct({
  input: ptr,
  residual: ptr,
  post_weight: ptr,
  gap24: bytes(8),
  combined: ptr,
  gap40: bytes(8),
  eps: f32,
  x_scale: f32,
  residual_scale: f32,
  gap60: bytes(4),
  rows: u32,
  rank: u32,
  counters: u32,
  gap76: bytes(4),
  at80: array(ptr, 4),
  at112: u32,
  gap116: bytes(4),
});

/**
 * beam_ar::kernel<2, 512, 2, 1, false> of SGLang: clusters of two CTAs, which share the sum of a
 * row.
 */
export default harness({
  kernel: 'sglang-beam.ptx',
  entry: 'kernel',
  ranks: 2,
  grid: { x: 3, y: 2 },
  block: 32,
  launches: 3,
  setup({ rank, alloc, peers, sum }) {
    const n = 2 * 512;
    const input = alloc('input', bf16, n, (i) => rank + 1 + (i % 4));
    const residual = alloc('residual', bf16, n, () => 1);
    const post_weight = alloc('post_weight', bf16, 512, () => 1);
    const combined = alloc('combined', bf16, n);
    const counter = alloc('counter', u32, 4);
    const p_80 = alloc('p_80', bf16, 4 * n);
    const total = (i: number) => sum((r) => r + 1 + (i % 4));
    const rms = Math.sqrt(Array.from({ length: 512 }, (_, i) => total(i) ** 2).reduce((a, b) => a + b) / 512);
    return {
      args: [
        Param0({
          input,
          residual,
          post_weight,
          combined,
          eps: 0,
          x_scale: 1,
          residual_scale: 1,
          rows: 2,
          rank,
          counters: 4,
          at80: [...peers(p_80), counter],
          at112: n * bf16.bytes,
        }),
      ],
      expect: () => combined.equals((i) => total(i) / rms + 1, { tolerance: 0.02 }),
    };
  },
});
