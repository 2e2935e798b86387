import { bf16, harness, u32 } from '@nccl-ts/harness';
import { pushParams } from './sglang-params.ts';

/** 2, 4 or 8. The entry has the number too. */
const ranks = 2;

/** Or 2. */
const shots = 1;

/**
 * SGLang's AllReduce that pushes each line of 16 bytes to its peers. A word of a line that is 0 has
 * not arrived, and launches take turns on two halves of the workspace.
 */
export default harness({
  entry: new RegExp(`all_reduce_${shots}shot_push_kernel.*j${ranks}ELb`),
  ranks,
  grid: 2,
  // Two shots need a warp for each peer.
  block: 32 * Math.ceil((ranks - 1) / 2),
  launches: 4,
  setup({ rank, ranks: all, alloc, peer }) {
    const vectors = 40;
    const count = 8 * vectors;
    const input = alloc('input', bf16, count, (i) => rank + (i % 16));
    const output = alloc('output', bf16, count);
    const slotBytes = 16 * vectors;
    const workspace = alloc('workspace', u32, (2 * ranks * slotBytes) / 4, () => 0);
    const params = pushParams(ranks)({
      input,
      output,
      vectors,
      rank,
      workspaces: all.map((r) => peer(workspace, r)),
      counter: alloc('counter', u32, 2, () => 0),
      slotBytes,
    });
    return {
      args: [params],
      between: (launch: number) => input.write((i) => (launch + 1) * (rank + (i % 16))),
      expect: () => output.equals((i) => 4 * all.reduce((sum, r) => sum + r + (i % 16), 0)),
    };
  },
});
