import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { devComm, window } from '@nccl-ts/devcomm';
import { f32, kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { allReduce, oneMeets } from '../worker/kernels.ts';

/** An AllReduce without its barriers: wrong, but it ends. */
const unordered = kernel(
  { name: 'unordered', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, threadIdx, blockIdx, blockDim, gridDim, f32 }, { comm, win, count }) => {
    const nRanks = comm.lsaSize;
    const first = threadIdx.x + blockDim.x * (comm.lsaRank + blockIdx.x * nRanks);
    for (let i = first; i < count; i += blockDim.x * gridDim.x * nRanks) {
      let v = f32(0);
      for (let peer = 0; peer < nRanks; peer++) v += lsa.pointer(win, f32, 0, peer).load(i);
      for (let peer = 0; peer < nRanks; peer++) lsa.pointer(win, f32, 0, peer).store(i, v);
    }
  },
);

export interface Shape {
  readonly ranks: number;
  readonly grid: number;
  readonly block: number;
  readonly count: number;
}

export async function run(
  { ranks, grid, block, count }: Shape,
  launches: (rank: number) => 'allReduce' | 'oneMeets' | 'unordered' | 'none',
) {
  await using world = await World.open({ backend: sim({ ranks }) });
  return await world.run(async (comm) => {
    const win = await comm.allocWindow(f32, count);
    if (win === null) throw new Error('the simulator has symmetric memory');
    await win.write(new Float32Array(count).fill(comm.rank + 1));
    const devComm = await comm.createDevComm({ lsaBarrierCount: grid });
    const what = launches(comm.rank);
    if (what === 'allReduce') await comm.launch(allReduce, { grid, block }, { comm: devComm, win, count });
    if (what === 'unordered') await comm.launch(unordered, { grid, block }, { comm: devComm, win, count });
    if (what === 'oneMeets') await comm.launch(oneMeets, { grid, block }, { comm: devComm });
    return win.read();
  });
}
