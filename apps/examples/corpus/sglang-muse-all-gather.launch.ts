import { bf16, bytes, harness, ptr, struct, u32 } from '@nccl-ts/harness';

/** The 80 bytes of parameter 0: fields that the kernel reads have a type. */
const Param0 = struct({
  ws_local: ptr,
  ws_mc: ptr,
  counter: ptr,
  num_counters: u32,
  half_bytes: u32,
  rank: u32,
  gap36: bytes(4),
  local: ptr,
  b: ptr,
  gap56: bytes(8),
  out: ptr,
  num_rows: u32,
  gap76: bytes(4),
});

/**
 * all_gather_kernel<64, 2, true, false, false> of SGLang's Muse Spark. A zero has not arrived yet.
 */
export default harness({
  kernel: 'sglang-muse.ptx',
  entry: 'all_gather_kernel',
  ranks: 2,
  grid: 2,
  block: 128,
  launches: 3,
  setup({ rank, nRanks, alloc, multicast }) {
    const n = 4 * 64;
    const ws_local = alloc('ws_local', bf16, 2 * n);
    const counter = alloc('counter', u32, 4);
    const local = alloc('local', bf16, n / nRanks, (i) => 8 * rank + (i % 8));
    const b = alloc('b', bf16, n, () => 1);
    const out = alloc('out', bf16, n);
    return {
      args: [
        Param0({
          ws_local,
          ws_mc: multicast(ws_local),
          counter,
          num_counters: 4,
          half_bytes: n * bf16.bytes,
          rank,
          local,
          b,
          out,
          num_rows: 4,
        }),
      ],
      expect: () => out.equals((i) => 8 * Math.floor((i % 64) / (64 / nRanks)) + (i % 8) + 1),
    };
  },
});
