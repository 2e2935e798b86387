import { bf16, harness, ptr, struct, u32 } from '@nccl-ts/harness';

const Params = struct({
  workspace: ptr,
  multicast: ptr,
  counter: ptr,
  counters: u32,
  halfBytes: u32,
  rank: u32,
  local: ptr,
  b: ptr,
  c: ptr,
  output: ptr,
  rows: u32,
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
    const [rows, columns] = [4, 64];
    const part = columns / nRanks;
    const half = rows * columns;
    const workspace = alloc('workspace', bf16, 2 * half, () => 0);
    const output = alloc('output', bf16, half);
    const params = Params({
      workspace,
      multicast: multicast(workspace),
      counter: alloc('counter', u32, 4, () => 0),
      counters: 4,
      halfBytes: half * bf16.bytes,
      rank,
      local: alloc('local', bf16, rows * part, (i) => 8 * rank + (i % 8)),
      b: alloc('b', bf16, half, () => 1),
      c: null,
      output,
      rows,
    });
    return { args: [params], expect: () => output.equals((i) => 8 * Math.floor((i % columns) / part) + (i % 8) + 1) };
  },
});
