import { devComm, team, teamRail, teamWorld, window } from '@nccl-ts/devcomm';
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
  ({ gin, teamRail, teamWorld, coopCta, threadIdx, blockIdx, u32 }, { comm, src, dst, got }) => {
    const net = gin.context(comm, 0);
    const rail = teamRail(comm);
    const world = teamWorld(comm);
    // Each CTA has its own signal and its own part of each window.
    const own = blockIdx.x;
    const first = own * u32(rail.nRanks) * 20;
    if (threadIdx.x === 0) {
      for (let i = 0; i < rail.nRanks; i++) {
        // The same rank, as a member of the rail and as one of the world.
        const inWorld = i * comm.lsaSize + comm.lsaRank;
        const from = first + u32(i) * 20;
        const to = 2 * first + u32(rail.rank) * 40;
        net.put(rail, i, dst, to, src, from, 20, gin.weakSignalInc(own));
        net.put(world, inWorld, dst, to + 20, src, from, 20, gin.weakSignalInc(own));
        net.get(rail, i, src, first + u32(rail.rank) * 20, got, from, 20);
      }
    }
    net.waitSignal(coopCta(), own, 2 * rail.nRanks);
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
        const ctas = 2;
        const dev = await comm.createDevComm({ ginConnectionType, ginSignalCount: ctas });
        const bytes = ctas * members.length * 20;
        const src = await comm.allocWindow('u8', bytes);
        const dst = await comm.allocWindow('u8', 2 * bytes);
        const got = await comm.allocWindow('u8', bytes);
        await src.write(bytesOf(comm.rank, bytes));
        await meet(comm);
        await comm.launch(overRail, { grid: ctas, block: 4 }, { comm: dev, src, dst, got });
        const parts = count(ctas).flatMap((cta) =>
          members.map((from) => {
            const begin = (cta * members.length + place) * 20;
            return [...bytesOf(from, bytes).subarray(begin, begin + 20)];
          }),
        );
        const put = parts.flatMap((part) => [...part, ...part]);
        expectValues(`${ginConnectionType}: put to rank ${comm.rank}`, await dst.read(), put);
        expectValues(`${ginConnectionType}: got by rank ${comm.rank}`, await got.read(), parts.flat());
        await meet(comm);
      }
    });
  },
});

const overStride = kernel(
  { name: 'overStride', use: { gin }, params: { comm: devComm, team, src: window, dst: window } },
  ({ gin, coopCta, threadIdx, u32 }, { comm, team, src, dst }) => {
    const net = gin.context(comm, 0);
    if (threadIdx.x < u32(team.nRanks)) {
      net.put(team, threadIdx.x, dst, u32(team.rank) * 20, src, threadIdx.x * 20, 20, gin.weakSignalInc(0));
    }
    net.waitSignal(coopCta(), 0, team.nRanks);
    net.flush(coopCta());
  },
);

export const customStride: Case<'gin/connections/custom-stride'> = defineCase({
  id: 'gin/connections/custom-stride',
  mirrors: 'NCCL_GIN_CONNECTION_CUSTOM_STRIDE',
  requires: { ...ginRequires, ncclVersion: 23102 },
  ranks: [4, 8],
  lsaSizes: [2, 4],
  kernels: [overStride],
  run: async ({ run, shape: { ranks, lsaSize } }) => {
    await run(async (comm) => {
      // From all ranks, through every second one, to the rail.
      for (const stride of [1, 2, lsaSize]) {
        const dev = await comm.createDevComm({
          ginConnectionType: 'customStride',
          ginCustomStride: stride,
          ginSignalCount: 1,
        });
        const members = count(ranks / stride).map((i) => (comm.rank % stride) + i * stride);
        const place = members.indexOf(comm.rank);
        const bytes = members.length * 20;
        const src = await comm.allocWindow('u8', bytes);
        const dst = await comm.allocWindow('u8', bytes);
        await src.write(bytesOf(comm.rank, bytes));
        await meet(comm);
        const within = { nRanks: members.length, rank: place, stride };
        await comm.launch(overStride, { grid: 1, block: 8 }, { comm: dev, team: within, src, dst });
        const got = members.flatMap((from) => [...bytesOf(from, bytes).subarray(place * 20, place * 20 + 20)]);
        expectValues(`stride ${stride}: put to rank ${comm.rank}`, await dst.read(), got);
        await meet(comm);
      }
    });
  },
});

/** Puts to the neighbours in a ring, and waits for a put of each. */
const overArray = kernel(
  { name: 'overArray', use: { gin, teamWorld }, params: { comm: devComm, src: window, dst: window } },
  ({ gin, teamWorld, coopCta, threadIdx, u32 }, { comm, src, dst }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const n = u32(comm.nRanks);
    const next = (u32(comm.rank) + 1) % n;
    const previous = (u32(comm.rank) + n - 1) % n;
    if (threadIdx.x === 0) net.put(world, next, dst, 0, src, 0, 20, gin.weakSignalInc(0));
    if (threadIdx.x === 1) net.put(world, previous, dst, 20, src, 20, 20, gin.weakSignalInc(0));
    net.waitSignal(coopCta(), 0, 2);
    net.wait(net.flushAsync(world, next));
    net.flush(coopCta());
  },
);

export const customArray: Case<'gin/connections/custom-array'> = defineCase({
  id: 'gin/connections/custom-array',
  mirrors: 'NCCL_GIN_CONNECTION_CUSTOM_ARRAY: each rank lists its two neighbours in a ring',
  requires: { ...ginRequires, ncclVersion: 23206 },
  ranks: [2, 3, 4],
  lsaSizes: [1, 2],
  kernels: [overArray],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const [previous, next] = [(comm.rank + ranks - 1) % ranks, (comm.rank + 1) % ranks];
      const dev = await comm.createDevComm({
        ginConnectionType: 'customArray',
        ginCustomArray: [...new Set([previous, next])],
        ginSignalCount: 1,
      });
      const src = await comm.allocWindow('u8', 40);
      const dst = await comm.allocWindow('u8', 40);
      await src.write(bytesOf(comm.rank, 40));
      await meet(comm);
      await comm.launch(overArray, { grid: 1, block: 2 }, { comm: dev, src, dst });
      const got = [...bytesOf(previous, 40).subarray(0, 20), ...bytesOf(next, 40).subarray(20, 40)];
      expectValues(`put to rank ${comm.rank}`, await dst.read(), got);
      await meet(comm);
    });
  },
});
