import { World } from '@nccl-ts/communicator';
import { machines, type SimTraceOptions } from '@nccl-ts/cost-model';
import { devComm, window, type DevCommArg, type WindowArg } from '@nccl-ts/devcomm';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { predict, type Prediction } from '@nccl-ts/prediction';
import { expect, test } from 'vitest';

const h200 = machines['h200-nvlink4'];

type FlagKernel = Kernel<{ readonly comm: DevCommArg; readonly win: WindowArg; readonly mode: number }>;

async function predicted(
  of: FlagKernel,
  { grid = 1, mode = 0, machine = h200 }: { grid?: number; mode?: number; machine?: SimTraceOptions } = {},
): Promise<Prediction> {
  return predict({ ranks: 2, machine, bounds: false }, async (backend) => {
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow('u32', 4096);
      const handle = await comm.createDevComm({ lsaBarrierCount: grid });
      await comm.launch(of, { grid, block: 64 }, { comm: handle, win, mode });
      await comm.synchronize();
    });
  });
}

const rounds: FlagKernel = kernel(
  { name: 'rounds', use: { lsa }, params: { comm: devComm, win: window, mode: u32 } },
  ({ lsa, coopCta, blockIdx, u32, u64, threadIdx }, { comm, win, mode }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    if (mode !== 1) bar.sync(coopCta(), 'acq_rel');
    else lsa.localPointer(win, u32, 0)[threadIdx.x] = bar.sync(coopCta(), 'acq_rel', u64(1000000));
    if (mode !== 2) bar.sync(coopCta(), 'acq_rel');
  },
);

test('a wait with a limit of time takes as long as one without', async () => {
  const [without, limited] = [await predicted(rounds), await predicted(rounds, { mode: 1 })];
  const waits = ({ path }: Prediction): number =>
    path.filter(({ kind }) => kind === 'wait').reduce((sum, part) => sum + part.nanoseconds, 0);
  expect(waits(limited)).toBeGreaterThan(0.9 * waits(without));
});

test('flags behind a barrier wait for the last of all CTAs, the first ones do not', async () => {
  const machine = { ...h200, nvlink: { ...h200.nvlink, flagsByCtas: [[1, 0] as const, [8, 5000] as const] } };
  const free = { ...h200, nvlink: { ...h200.nvlink, flagsByCtas: [] } };
  const more = async (grid: number, mode = 0): Promise<number> =>
    (await predicted(rounds, { grid, mode, machine })).nanoseconds -
    (await predicted(rounds, { grid, mode, machine: free })).nanoseconds;
  expect(await more(1)).toBe(0);
  expect(await more(8, 2)).toBe(0);
  expect(await more(8)).toBeCloseTo(5000, 6);
});

const adds: FlagKernel = kernel(
  { name: 'adds', use: { lsa }, params: { comm: devComm, win: window, mode: u32 } },
  ({ lsa, threadIdx, u32 }, { comm, win, mode }) => {
    const theirs = lsa.pointer(win, u32, 0, 1 - comm.lsaRank);
    if (threadIdx.x !== 0) return;
    if (mode === 0) theirs.atomicAdd(0, 1, 'relaxed', 'system');
    else lsa.localPointer(win, u32, 0)[8] = theirs.atomicAdd(0, 1, 'relaxed', 'system');
  },
);

test('an atomic takes a trip only if its result is used', async () => {
  const [posted, answered] = [await predicted(adds), await predicted(adds, { mode: 1 })];
  const trip = h200.nvlink?.atomicLatency ?? Number.NaN;
  expect(answered.nanoseconds - posted.nanoseconds).toBeGreaterThan(0.9 * trip);
  expect(posted.nanoseconds).toBeLessThan((h200.launchLatency ?? Number.NaN) + trip / 2);
});

const last: FlagKernel = kernel(
  { name: 'last', use: { lsa }, params: { comm: devComm, win: window, mode: u32 } },
  ({ lsa, threadIdx, u32, waitUntil }, { comm, win }) => {
    if (threadIdx.x !== 0) return;
    const zero = lsa.pointer(win, u32, 0, 0);
    if (comm.lsaRank === 1) {
      zero.store(64, 1, 'relaxed', 'system');
      // Each load needs the one before it, so that the atomic is made late.
      let at = u32(128);
      for (let i = 0; i < 20; i++) at = zero[at]! + u32(128);
      zero.atomicAdd(at - u32(128), 1, 'relaxed', 'system');
      return;
    }
    waitUntil(() => zero.load(64, 'relaxed', 'system') === 1);
    lsa.localPointer(win, u32, 0)[8] = zero.atomicAdd(0, 1, 'relaxed', 'system');
  },
);

test('an atomic that sees a late change waits for its own answer behind it', async () => {
  const of = async (atomicLatency: number): Promise<number> =>
    (await predicted(last, { machine: { ...h200, memory: { ...h200.memory, atomicLatency } } })).nanoseconds;
  expect((await of(1100)) - (await of(100))).toBeCloseTo(1000, 6);
});
