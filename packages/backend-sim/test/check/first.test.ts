import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { sim } from '@nccl-ts/backend-sim';
import { expect, test } from 'vitest';

const make = (entry: boolean, exit: boolean) => kernel(
  { name: 'allReduce', use: { lsa, ENTRY: entry, EXIT: exit }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, ENTRY, EXIT, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
    if (ENTRY) bar.sync(coopCta(), 'acquire');
    const nRanks = comm.lsaSize;
    const tid = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
    const n = blockDim.x * gridDim.x * nRanks;
    for (let o = tid; o < count; o += n) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, 0, peer).load(o);
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, 0, peer).store(o, v);
    }
    if (EXIT) bar.sync(coopCta(), 'release');
  },
);

for (const [entry, exit] of [[true, true], [false, true], [true, false], [false, false]] as const) {
  test(`entry ${entry} exit ${exit}`, async () => {
    const k = make(entry, exit);
    const backend = sim({ ranks: 4, mode: 'check' });
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const win = await comm.allocWindow(f32, 4096);
      await win.write(new Float32Array(4096).fill(comm.rank));
      const dc = await comm.createDevComm({ lsaBarrierCount: 4 });
      await comm.launch(k, { grid: 4, block: 64 }, { comm: dc, win, count: 4096 });
      return win.read();
    });
    const report = backend.report();
    console.log(JSON.stringify(report, (k, v) => (k === 'place' && v?.source ? `${v.source}:${v.line} ${v.text.trim()}` : typeof v === 'bigint' ? `${v}` : v), 1));
    expect(report).toBeDefined();
  });
}
