import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { connect, ginRequires } from './connect.ts';

const use = { gin, teamWorld, lsa };

const meeting = kernel(
  { name: 'meetsShadow', use, params: { comm: devComm, dst: window, out: window, rounds: u32 } },
  ({ gin, teamWorld, lsa, coopCta, threadIdx, u32, u64 }, { comm, dst, out, rounds }) => {
    const net = gin.context(comm, 1);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    for (let round = u32(0); round < rounds; round++) {
      if (threadIdx.x === 0) {
        net.putValue(world, next, dst, round * 4, u32(comm.rank) * 100 + round, gin.weakSignalAdd(1, 3));
        net.increaseSignalShadow(1, 3);
      }
      net.waitSignalMeetShadow(coopCta(), 1, { bits: 3 });
      // A word of the shadow's own context and signal, that goes on across kernels.
      if (threadIdx.x === 1) {
        lsa.localPointer(out, u64, 0).store(round, net.signalShadowPtr(1).load(0));
        lsa.localPointer(out, u64, 0).store(rounds + round, u64(lsa.localPointer(dst, u32, 0).load(round)));
      }
      if (threadIdx.x === 0) net.signal(world, (comm.rank + comm.nRanks - 1) % comm.nRanks, gin.weakSignalInc(0));
      net.waitSignalFollowShadow(coopCta(), 0, 1);
    }
  },
);

export const meets: Case<'gin/shadows/meet'> = defineCase({
  id: 'gin/shadows/meet',
  mirrors: 'ncclGin::increaseSignalShadow, ::waitSignalMeetShadow, ::getSignalShadowPtr',
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [meeting],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const rounds = 5;
      const dev = await connect(comm, { ginSignalCount: 2 });
      const dst = await comm.allocWindow('u32', rounds);
      const out = await comm.allocWindow('u64', 2 * rounds);
      const from = (comm.rank + ranks - 1) % ranks;
      for (const launch of count(2)) {
        await comm.launch(meeting, { grid: 1, block: 32 }, { comm: dev, dst, out, rounds });
        const shadows = count(rounds, launch * rounds + 1).map((n) => BigInt(3 * n));
        const values = count(rounds).map((round) => BigInt(from * 100 + round));
        expectValues(`launch ${launch} at rank ${comm.rank}`, await out.read(), [...shadows, ...values]);
        await meet(comm);
      }
    });
  },
});

const following = kernel(
  { name: 'followsShadow', use, params: { comm: devComm, out: window, first: u32 } },
  ({ gin, teamWorld, lsa, coopCta, threadIdx, u32, u64 }, { comm, out, first }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
    const seen = lsa.localPointer(out, u64, 0);
    for (let round = u32(0); round < 4; round++) {
      // More than is waited for: it is all there, for both are one signal.
      if (threadIdx.x === 0) net.signal(world, next, gin.strongSignalAdd(0, first + round * 10));
      const { before, delta } = net.waitSignalFollowShadow(coopCta(), 0, first + round * 10 - 5, { bits: 8 });
      seen.store((round * 32 + threadIdx.x) * 3, before);
      seen.store((round * 32 + threadIdx.x) * 3 + 1, delta);
      seen.store((round * 32 + threadIdx.x) * 3 + 2, net.signalShadowPtr(0).load(0));
      coopCta().sync();
      if (threadIdx.x === 0) net.signal(world, previous, gin.weakSignalInc(1));
      net.waitSignalFollowShadow(coopCta(), 1, 1);
    }
  },
);

export const follows: Case<'gin/shadows/follow'> = defineCase({
  id: 'gin/shadows/follow',
  mirrors: 'ncclGin::waitSignalFollowShadow: what the shadow was, and by how much the signal was past it, by low bits',
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [following],
  run: async ({ run }) => {
    await run(async (comm) => {
      const first = 90;
      const dev = await connect(comm, { ginSignalCount: 2 });
      const out = await comm.allocWindow('u64', 3 * 32 * 4);
      await comm.launch(following, { grid: 1, block: 32 }, { comm: dev, out, first });
      let before = 0n;
      const expected = count(4).flatMap((round) => {
        const delta = BigInt(first + 10 * round);
        const row = [before % 256n, delta, before + delta];
        before += delta;
        return count(32).flatMap(() => row);
      });
      expectValues(`rank ${comm.rank}`, await out.read(), expected);
    });
  },
});
