import { World } from '@nccl-ts/communicator';
import { sim } from '../../../packages/backend-sim/src/index.ts';
import { kernel, f32, addr, u32 } from '@nccl-ts/kernel';
import { devComm, window } from '@nccl-ts/devcomm';
import { lsa } from '@nccl-ts/lsa';
const allReduce = kernel({
  name: 'inPlaceAllReduce',
  use: { lsa },
  params: { comm: devComm, win: window, offset: addr, count: u32 },
}, ({ lsa, coopCta, threadIdx, blockIdx, blockDim, gridDim, f32 }: any, { comm, win, offset, count }: any) => {
  const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x);
  bar.sync(coopCta(), 'acquire');
  const rank = comm.lsaRank, nRanks = comm.lsaSize;
  const globalTid = threadIdx.x + blockDim.x * (rank + blockIdx.x * nRanks);
  const globalNthreads = blockDim.x * gridDim.x * nRanks;
  for (let o = globalTid; o < count; o += globalNthreads) {
    let v = f32(0);
    for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, offset, peer)[o];
    for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, offset, peer)[o] = v;
  }
  bar.sync(coopCta(), 'release');
});
const world = await World.open({ backend: sim({ ranks: 4 }) });
const n = 1 << 16;
async function go(skip: number) {
return world.run(async (comm: any) => {
  const win = await comm.allocWindow(f32, n);
  await win.write(new Float32Array(n).fill(comm.rank + 1));
  const dc = await comm.createDevComm({ lsaBarrierCount: 16 });
  if (comm.rank === skip) return [];
  for (let i = 0; i < 3; i++) {
  const t = performance.now();
  await comm.launch(allReduce, { grid: 16, block: 512 }, { comm: dc, win, offset: 0, count: i === 2 && skip === -2 ? n + 1 : n });
  if (comm.synchronize) await comm.synchronize();
  if (comm.rank === 0) console.log('ms', performance.now() - t);
  }
  return (await win.read()).slice(0, 3);
});
}
console.log(await go(-1));
try { await go(2); } catch (e) { console.log(String((e as Error).message)); }
try { await go(-2); } catch (e) { console.log(String((e as Error).message)); console.log((e as any).cause); }
await world[Symbol.asyncDispose]?.();
