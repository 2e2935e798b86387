import { bf16, bytes, harness, struct, u32 } from '@nccl-ts/harness';
import { pullParams } from './sglang-params.ts';

/** 2, 4 or 8. The entry has the number too. */
const ranks = 2;

/** Or 2. */
const shots = 1;

/** `MultiCastImpl` reduces through a multicast address. */
const how: string = 'LoadStoreImpl';

const Semaphore = struct({ flag: u32, counter: u32, rest: bytes(120, 4) });

/** SGLang's AllReduce that reads its peers' workspaces, between two barriers. */
export default harness({
  entry: new RegExp(`all_reduce_${shots}shot_pull_kernel.*${how}.*j${ranks}ELb0`),
  ranks,
  grid: 2,
  block: 32,
  launches: 3,
  setup({ rank, ranks: all, alloc, peer, multicast }) {
    const vectors = 40 * ranks;
    const count = 8 * vectors;
    const workspace = alloc('workspace', bf16, count, (i) => rank + (i % 8));
    const output = alloc('output', bf16, count);
    const semaphores = alloc('semaphores', Semaphore, 2, () => ({ flag: 0, counter: 0 }));
    const params = pullParams(ranks)({
      output,
      vectors,
      rank,
      semaphores: all.map((r) => peer(semaphores, r)),
      workspaces: all.map((r) => peer(workspace, r)),
      ...(how === 'MultiCastImpl' ? { multicast: multicast(workspace) } : {}),
    });
    const result = shots === 1 ? output : workspace;
    return {
      args: [params],
      between: (launch: number) => workspace.write((i) => (launch + 1) * (rank + (i % 8))),
      expect: () => result.equals((i) => 3 * all.reduce((sum, r) => sum + r + (i % 8), 0)),
    };
  },
});
