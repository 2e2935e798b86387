import { devComm, teamRail, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { bytesOf, ginRequires, railOf } from './connect.ts';

const overRail = kernel(
  {
    name: 'overRail',
    use: { gin, teamRail, teamWorld },
    params: { comm: devComm, src: window, dst: window, got: window },
  },
  ({ gin, teamRail, teamWorld, coopCta, threadIdx, u32 }, { comm, src, dst, got }) => {
    const net = gin.context(comm, 0);
    const rail = teamRail(comm);
    const world = teamWorld(comm);
    if (threadIdx.x === 0) {
      for (let i = 0; i < rail.nRanks; i++) {
        // The same rank, as a member of the rail and as one of the world.
        const inWorld = i * comm.lsaSize + comm.lsaRank;
        net.put(rail, i, dst, u32(rail.rank) * 40, src, i * 20, 20, gin.weakSignalInc(0));
        net.put(world, inWorld, dst, u32(rail.rank) * 40 + 20, src, i * 20, 20, gin.weakSignalInc(0));
        net.get(rail, i, src, u32(rail.rank) * 20, got, i * 20, 20);
      }
    }
    net.waitSignal(coopCta(), 0, 2 * rail.nRanks);
    net.flush(coopCta());
  },
);

export const connections: Case<'gin/connections'> = defineCase({
  id: 'gin/connections',
  mirrors: 'NCCL_GIN_CONNECTION_RAIL and _FULL; ncclTeamRail',
  requires: ginRequires,
  ranks: [1, 4, 8],
  lsaSizes: [1, 2],
  kernels: [overRail],
  run: async ({ run, shape }) => {
    await run(async (comm) => {
      for (const ginConnectionType of ['rail', 'full'] as const) {
        const members = railOf(comm.rank, shape);
        const place = members.indexOf(comm.rank);
        const dev = await comm.createDevComm({ ginConnectionType, ginSignalCount: 1 });
        const src = await comm.allocWindow('u8', members.length * 20);
        const dst = await comm.allocWindow('u8', members.length * 40);
        const got = await comm.allocWindow('u8', members.length * 20);
        await src.write(bytesOf(comm.rank, members.length * 20));
        await meet(comm);
        await comm.launch(overRail, { grid: 1, block: 4 }, { comm: dev, src, dst, got });
        const parts = members.map((from) => [
          ...bytesOf(from, members.length * 20).subarray(place * 20, place * 20 + 20),
        ]);
        const put = count(2 * members.length).flatMap((i) => parts[Math.floor(i / 2)] ?? []);
        expectValues(`${ginConnectionType}: put to rank ${comm.rank}`, await dst.read(), put);
        expectValues(`${ginConnectionType}: got by rank ${comm.rank}`, await got.read(), parts.flat());
        await meet(comm);
      }
    });
  },
});
