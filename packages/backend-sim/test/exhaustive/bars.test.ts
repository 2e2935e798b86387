import { explore } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, test } from 'vitest';

const barriers = (rounds: number) =>
  kernel(
    { name: 'rounds', use: { lsa, ROUNDS: rounds }, params: { comm: devComm } },
    ({ lsa, ROUNDS, coopCta }, { comm }) => {
      const bar = lsa.barrierSession(coopCta(), comm, 0);
      for (let i = 0; i < ROUNDS; i++) bar.sync(coopCta(), 'acq_rel');
    },
  );
const exchange = (entry: boolean, exit: boolean) =>
  kernel(
    { name: 'exchange', use: { lsa, ENTRY: entry, EXIT: exit }, params: { comm: devComm, win: window, count: u32 } },
    ({ lsa, ENTRY, EXIT, coopCta, threadIdx, blockIdx, blockDim, gridDim, u32 }, { comm, win, count }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
      if (ENTRY) bar.sync(coopCta(), 'acquire');
      const nRanks = comm.lsaSize;
      const tid = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
      const n = blockDim.x * gridDim.x * nRanks;
      for (let o = tid; o < count; o += n) {
        let v = u32(0);
        for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, u32, 0, peer).load(o);
        for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, u32, 0, peer).store(o, v);
      }
      if (EXIT) bar.sync(coopCta(), 'release');
    },
  );
const text = (report: unknown) =>
  JSON.stringify(report, (key, v) =>
    key === 'place' && v?.source
      ? `${v.source}:${v.line} ${v.text.trim()}`
      : key === 'bytes' || key === 'schedule'
        ? undefined
        : typeof v === 'bigint'
          ? `${v}`
          : v,
  ).slice(0, 3000);

for (const [ranks, rounds] of [
  [2, 1],
  [3, 1],
  [2, 2],
  [4, 1],
] as const)
  test(`barrier ${ranks} ranks, ${rounds} rounds`, { timeout: 200_000 }, async () => {
    const k = barriers(rounds);
    const t = performance.now();
    const explored = await explore(
      { ranks, mode: 'check' },
      async (backend) => {
        const world = await World.open({ backend });
        await world.run(async (comm) => {
          const dc = await comm.createDevComm({ lsaBarrierCount: 1 });
          await comm.launch(k, { grid: 1, block: 1 }, { comm: dc });
          await comm.synchronize();
        });
        await world.close();
      },
      { runs: 3000 },
    );
    console.log(
      ranks,
      rounds,
      explored.runs,
      explored.complete,
      explored.report?.proves,
      performance.now() - t,
      text(explored.report),
    );
    expect(1).toBe(1);
  });
for (const [entry, exit, grid, block] of [
  [true, true, 1, 1],
  [true, true, 2, 2],
  [false, true, 1, 1],
  [true, false, 1, 2],
] as const)
  test(`exchange ${entry} ${exit} ${grid} ${block}`, { timeout: 200_000 }, async () => {
    const k = exchange(entry, exit);
    const t = performance.now();
    const seen = new Set<string>();
    const explored = await explore(
      { ranks: 2, mode: 'check' },
      async (backend) => {
        const world = await World.open({ backend });
        const found = await world.run(async (comm) => {
          const win = await comm.allocWindow('u32', 8);
          await win.write(new Uint32Array(8).fill(comm.rank + 1));
          const dc = await comm.createDevComm({ lsaBarrierCount: grid });
          await comm.launch(k, { grid, block }, { comm: dc, win, count: 2 * grid * block });
          return [...(await win.read())].join();
        });
        seen.add(found.join('|'));
        await world.close();
      },
      { runs: 500 },
    );
    console.log(
      entry,
      exit,
      grid,
      block,
      [...seen],
      explored.runs,
      explored.complete,
      explored.report?.proves,
      performance.now() - t,
      text(explored.report),
    );
    expect(1).toBe(1);
  });
