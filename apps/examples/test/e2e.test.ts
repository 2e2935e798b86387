import { test, expect, vi } from 'vitest';
vi.mock('/work/main/packages/ir/src/index.ts', async (o) => ({ ...(await o() as any), validate: (module: any, capabilities: any) => ({ ok: true, module: { ...module, capabilities } }), renderDiagnostics: (d: any) => JSON.stringify(d) }));
import { kernel, u32, u64, f32 } from '@nccl-ts/kernel';
import { devComm, window } from '@nccl-ts/devcomm';
import { lsa } from '@nccl-ts/lsa';
import { World } from '@nccl-ts/communicator';
import { sim } from '@nccl-ts/backend-sim';
export const inPlaceAllReduce = kernel({
  name: 'inPlaceAllReduce',
  use: { lsa },
  params: { comm: devComm, win: window, offset: u64, count: u32 },
}, ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, offset, count }) => {
  const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
  bar.sync(coopCta(), 'acquire');
  const rank = comm.lsaRank, nRanks = comm.lsaSize;
  const globalTid = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
  const globalNthreads = blockDim.x * gridDim.x * nRanks;
  for (let o = globalTid; o < count; o += globalNthreads) {
    let v = f32(0);
    for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, offset, peer)[o]!;
    for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, offset, peer)[o] = v;
  }
  bar.sync(coopCta(), 'release');
});
test('x', async () => {
 await using world = await World.open({ backend: sim({ ranks: 4 }) });
 const results = await world.run(async (comm) => {
  const win = await comm.allocWindow(f32, 1 << 20);
  await win.write(new Float32Array(1 << 20).fill(comm.rank));
  const dc = await comm.createDevComm({ lsaBarrierCount: 16 });
  const t=performance.now();
  await comm.launch(inPlaceAllReduce, { grid: 16, block: 512 }, { comm: dc, win, offset: 0, count: 1 << 20 });
  await comm.synchronize();
  console.log(comm.rank, performance.now()-t);
  return win.read();
 });
 for (const r of results) expect([...new Set(r as any)]).toEqual([6]);
}, 60000);
