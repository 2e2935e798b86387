import {
  beginning,
  ginAllToAll,
  ginWithoutWait,
  lowLatency,
  needless,
  reduceScatter,
  twoNodes,
} from './more-examples.ts';

/** A program of the playground's menu. */
export interface Example {
  readonly name: string;
  readonly title: string;
  readonly text: string;
  /** The expected verdict of a check, which the site's tests compare. */
  readonly verdict: string;
  /** The number of nodes that it is for. @default 1 */
  readonly nodes?: number;
}

const allReduce = `import { devComm, f32, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

// Each thread sums some elements over all ranks, and stores the sum to all ranks.
export const allReduce = kernel(
  { name: 'allReduce', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    bar.sync(coopCta(), 'acquire');

    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * comm.lsaSize);
    const step = blockDim.x * gridDim.x * comm.lsaSize;
    for (let o = first; o < count; o += step) {
      let sum = f32(0);
      for (let peer = 0; peer < comm.lsaSize; peer++) sum += lsa.pointer(win, f32, 0, peer).load(o);
      for (let peer = 0; peer < comm.lsaSize; peer++) lsa.pointer(win, f32, 0, peer).store(o, sum);
    }
    bar.sync(coopCta(), 'release');
  },
);

// This runs once for every rank.
export async function host(comm: Communicator) {
  const count = 1024;
  const win = await comm.allocWindow(f32, count);
  await win.write(new Float32Array(count).fill(comm.rank + 1));
  const dev = await comm.createDevComm({ lsaBarrierCount: 2 });
  await comm.launch(allReduce, { grid: 2, block: 64 }, { comm: dev, win, count });
  return (await win.read()).slice(0, 4);
}
`;

const shift = `import { devComm, kernel, lsa, u32, window, type Communicator } from 'nccl-ts';

export const shift = kernel(
  { name: 'shift', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, threadIdx, u32 }, { comm, win }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    const right = (comm.lsaRank + 1) % comm.lsaSize;

    // Each thread stores one word into the window of the rank to the right.
    lsa.pointer(win, u32, 0, right).store(threadIdx.x, comm.lsaRank * 100 + threadIdx.x);
    bar.sync(coopCta(), 'acq_rel');

    // Each thread doubles the word that the rank to the left has stored here.
    const mine = lsa.localPointer(win, u32, 0);
    mine.store(32 + threadIdx.x, mine.load(threadIdx.x) * 2);
  },
);

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(u32, 64);
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(shift, { grid: 1, block: 32 }, { comm: dev, win });
  return (await win.read()).slice(32, 35);
}
`;

const flag = `import { kernel, lsa, u32, window, devComm, type Communicator } from 'nccl-ts';

// Message passing: rank 0 writes data and raises a flag, rank 1 waits for the flag.
export const message = kernel(
  { name: 'message', use: { lsa }, params: { comm: devComm, win: window } },
  ({ lsa, coopCta, u32 }, { comm, win }) => {
    const bar = lsa.barrierSession(coopCta(), comm, 0);
    bar.sync(coopCta(), 'acq_rel');
    if (comm.lsaRank === 0) {
      const there = lsa.pointer(win, u32, 0, 1);
      there.store(0, 42);
      there.store(1, 1, 'release', 'system');
    } else if (comm.lsaRank === 1) {
      const here = lsa.localPointer(win, u32, 0);
      while (here.load(1, 'acquire', 'system') === 0) {}
      here.store(2, here.load(0));
    }
  },
);

export async function host(comm: Communicator) {
  const win = await comm.allocWindow(u32, 4);
  await win.write(new Uint32Array(4));
  const dev = await comm.createDevComm({ lsaBarrierCount: 1 });
  await comm.launch(message, { grid: 1, block: 1 }, { comm: dev, win });
  return await win.read();
}
`;

const broken = shift
  .replace("    bar.sync(coopCta(), 'acq_rel');\n", '')
  .replace('    const bar = lsa.barrierSession(coopCta(), comm, 0);\n', '');

export const examples: readonly Example[] = [
  { name: 'allreduce', title: 'AllReduce', text: allReduce, verdict: 'clean' },
  { name: 'shift', title: 'Shift around a ring', text: shift, verdict: 'clean' },
  { name: 'no-barrier', title: 'No barrier: a race', text: broken, verdict: 'race' },
  {
    name: 'weak-barrier',
    title: 'Weak barrier: a race',
    text: shift.replace("'acq_rel'", "'relaxed'"),
    verdict: 'race',
  },
  {
    name: 'deadlock',
    title: 'Skipped: a deadlock',
    text: shift.replace(
      'mine.load(threadIdx.x) * 2);',
      "mine.load(threadIdx.x) * 2);\n    if (comm.lsaRank !== 1) bar.sync(coopCta(), 'acq_rel');",
    ),
    verdict: 'deadlock',
  },
  { name: 'flag', title: 'Message and flag', text: flag, verdict: 'clean' },
  {
    name: 'weak-flag',
    title: 'Weak flag: a race',
    text: flag.replace("'release'", "'relaxed'"),
    verdict: 'race',
  },
  { name: 'new', title: 'New program', text: beginning, verdict: 'clean' },
  { name: 'reduce-scatter', title: 'ReduceScatter', text: reduceScatter, verdict: 'clean' },
  { name: 'll', title: 'AllReduce by LL', text: lowLatency, verdict: 'clean' },
  { name: 'gin', title: 'All-to-all (GIN)', text: ginAllToAll, verdict: 'clean' },
  { name: 'needless', title: 'A needless fence', text: needless, verdict: 'clean' },
  { name: 'gin-no-wait', title: 'No wait: a race', text: ginWithoutWait, verdict: 'race' },
  { name: 'two-nodes', title: 'On two nodes', text: twoNodes, verdict: 'clean', nodes: 2 },
];

/** The groups of the menu. Every example is in one of them. */
export const exampleGroups: readonly { readonly title: string; readonly names: readonly string[] }[] = [
  { title: 'Start', names: ['new', 'shift', 'flag'] },
  { title: 'Collectives', names: ['allreduce', 'reduce-scatter', 'll'] },
  { title: 'Over the network', names: ['gin', 'two-nodes'] },
  {
    title: 'Mistakes to find',
    names: ['no-barrier', 'weak-barrier', 'weak-flag', 'deadlock', 'gin-no-wait', 'needless'],
  },
];
