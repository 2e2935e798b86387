import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { allToAllHybrid, receivedChunks, sentChunks } from '@nccl-ts/examples/programs';
import { f32 } from '@nccl-ts/kernel';
import { createTimelineRecorder, timelineSvg } from '@nccl-ts/timeline';
import { expect, it } from 'vitest';

const [ranks, lsaSize, count] = [8, 4, 4096];

it("the picture of the hybrid all-to-all in docs/ equals the simulator's", { timeout: 60_000 }, async () => {
  const simulated = await sim({ ranks, lsaSize, trace: true }).open({ onStall: () => {} });
  const backend = { ...sim({ ranks, lsaSize }), open: async () => simulated };
  await using world = await World.open({ backend });
  const results = await world.run(async (comm) => {
    const send = await comm.allocWindow(f32, ranks * count);
    const recv = await comm.allocWindow(f32, ranks * count);
    await send.write(sentChunks(comm.rank, ranks, count, 0));
    const devComm = await comm.createDevComm({ ginConnectionType: 'full', barrierCount: 1, ginSignalCount: 1 });
    await comm.launch(allToAllHybrid, { grid: 1, block: 256 }, { send, recv, count, comm: devComm });
    await comm.synchronize();
    return recv.read();
  });
  for (const [rank, got] of results.entries()) expect(got).toEqual(receivedChunks(rank, ranks, count, 0));
  const svg = timelineSvg(simulated.timeline(createTimelineRecorder()), {
    title: 'An all-to-all of 16 KiB chunks among 8 ranks in domains of 4',
  });
  await expect(svg).toMatchFileSnapshot('../../../docs/hybrid-all-to-all.svg');
});
