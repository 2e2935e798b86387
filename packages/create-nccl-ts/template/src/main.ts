import { f32, sim, World } from 'nccl-ts';
import { inPlaceAllReduce } from './kernel.ts';

const count = 1 << 16;
const world = await World.open({ backend: sim({ ranks: 4 }) });
const results = await world.run(async (comm) => {
  const win = await comm.allocWindow(f32, count);
  await win.write(new Float32Array(count).fill(comm.rank));
  const devComm = await comm.createDevComm({ lsaBarrierCount: 16 });
  await comm.launch(inPlaceAllReduce, { grid: 16, block: 128 }, { comm: devComm, win, count });
  return win.read();
});
await world.close();

for (const [rank, sums] of results.entries()) console.log(`rank ${rank}: ${sums[0]} ... ${sums.at(-1)}`);
