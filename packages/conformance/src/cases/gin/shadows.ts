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
const ctas = 2;

const meeting = kernel(
  { name: 'meetsShadow', use, params: { comm: devComm, dst: window, out: window, rounds: u32 } },
  ({ gin, teamWorld, lsa, coopCta, threadIdx, blockIdx, u32, u64 }, { comm, dst, out, rounds }) => {
    const net = gin.context(comm, 1);
    // Each CTA has two signals and its own part of each window.
    const back = blockIdx.x * 2;
    const told = back + 1;
    const first = blockIdx.x * rounds;
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    for (let round = u32(0); round < rounds; round++) {
      if (threadIdx.x === 0) {
        const number = u32(comm.rank) * 100 + first + round;
        net.putValue(world, next, dst, (first + round) * 4, number, gin.weakSignalAdd(told, 3));
        net.increaseSignalShadow(told, 3);
      }
      net.waitSignalMeetShadow(coopCta(), told, { bits: 3 });
      // A word of the shadow's context and signal, which continues across kernels.
      if (threadIdx.x === 1) {
        const seen = lsa.localPointer(out, u64, 0).offset(2 * first);
        seen.store(round, net.signalShadowPtr(told).load(0));
        seen.store(rounds + round, u64(lsa.localPointer(dst, u32, 0).load(first + round)));
      }
      if (threadIdx.x === 0) net.signal(world, (comm.rank + comm.nRanks - 1) % comm.nRanks, gin.weakSignalInc(back));
      net.waitSignalFollowShadow(coopCta(), back, 1);
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
      const dev = await connect(comm, { ginSignalCount: 2 * ctas });
      const dst = await comm.allocWindow('u32', ctas * rounds);
      const out = await comm.allocWindow('u64', ctas * 2 * rounds);
      const from = (comm.rank + ranks - 1) % ranks;
      for (const launch of count(2)) {
        await comm.launch(meeting, { grid: ctas, block: 32 }, { comm: dev, dst, out, rounds });
        const shadows = count(rounds, launch * rounds + 1).map((n) => BigInt(3 * n));
        const expected = count(ctas).flatMap((cta) => [
          ...shadows,
          ...count(rounds, cta * rounds).map((n) => BigInt(from * 100 + n)),
        ]);
        expectValues(`launch ${launch} at rank ${comm.rank}`, await out.read(), expected);
        await meet(comm);
      }
    });
  },
});

const following = kernel(
  { name: 'followsShadow', use, params: { comm: devComm, out: window, first: u32 } },
  ({ gin, teamWorld, lsa, coopCta, threadIdx, blockIdx, u32, u64 }, { comm, out, first }) => {
    // Each CTA has its own two signals.
    const told = blockIdx.x * 2;
    const back = told + 1;
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    const previous = (comm.rank + comm.nRanks - 1) % comm.nRanks;
    const seen = lsa.localPointer(out, u64, 0).offset(blockIdx.x * 4 * 32 * 3);
    for (let round = u32(0); round < 4; round++) {
      const by = first + round * 10 + blockIdx.x;
      // This is more than the wait needs. All data has arrived, because both use one signal.
      if (threadIdx.x === 0) net.signal(world, next, gin.strongSignalAdd(told, by));
      const { before, delta } = net.waitSignalFollowShadow(coopCta(), told, by - 5, { bits: 8 });
      seen.store((round * 32 + threadIdx.x) * 3, before);
      seen.store((round * 32 + threadIdx.x) * 3 + 1, delta);
      seen.store((round * 32 + threadIdx.x) * 3 + 2, net.signalShadowPtr(told).load(0));
      coopCta().sync();
      if (threadIdx.x === 0) net.signal(world, previous, gin.weakSignalInc(back));
      net.waitSignalFollowShadow(coopCta(), back, 1);
    }
  },
);

export const follows: Case<'gin/shadows/follow'> = defineCase({
  id: 'gin/shadows/follow',
  mirrors: "ncclGin::waitSignalFollowShadow: the previous shadow, and the signal's lead over it, by low bits",
  requires: ginRequires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [following],
  run: async ({ run }) => {
    await run(async (comm) => {
      const first = 90;
      const dev = await connect(comm, { ginSignalCount: 2 * ctas });
      const out = await comm.allocWindow('u64', ctas * 3 * 32 * 4);
      await comm.launch(following, { grid: ctas, block: 32 }, { comm: dev, out, first });
      const expected = count(ctas).flatMap((cta) => {
        let before = 0n;
        return count(4).flatMap((round) => {
          const delta = BigInt(first + 10 * round + cta);
          const row = [before % 256n, delta, before + delta];
          before += delta;
          return count(32).flatMap(() => row);
        });
      });
      expectValues(`rank ${comm.rank}`, await out.read(), expected);
    });
  },
});
