import { at } from '@nccl-ts/core';
import { devComm, lsaBarrierHandle, team, teamLsa, teamOuterFactor, teamRankToLsa, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { teamOuterFactor as hostOuterFactor } from '@nccl-ts/topology';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { kernelPair, membersOf, createBarriers, createTeamBarriers } from './create-barriers.ts';

const params = { comm: devComm, team, handle: lsaBarrierHandle, win: window };
const use = { lsa, teamRankToLsa };
const ctas = 2;

const sequence = kernelPair((own) =>
  kernel(
    { name: `sessionsInTurn${own}`, use: { ...use, own }, params },
    ({ lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, u32 }, { comm, team, handle, win }) => {
      // Each CTA has its own part of the window.
      const first = blockIdx.x * 640;
      const index = 1 + blockIdx.x;
      const number = u32(comm.rank) * 100 + blockIdx.x * 10;
      const mine = lsa.localPointer(win, u32, first);
      const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
      // Several sessions of one index. Each begins with the epoch that the previous one saved.
      for (let turn = u32(0); turn < 3; turn++) {
        const bar = lsa.barrierSession(coopCta(), comm, index, own ? { team, handle } : {});
        mine.store(threadIdx.x, number + turn);
        bar.sync(coopCta(), 'acq_rel');
        const seen = next.load(threadIdx.x);
        bar.sync(coopCta(), 'acq_rel');
        mine.store(32 + 32 * turn + threadIdx.x, seen);
      }
      {
        const bar = lsa.barrierSession(coopCta(), comm, index, own ? { team, handle } : {});
        mine.store(threadIdx.x, number + 9);
        bar.sync(coopCta(), 'acq_rel');
      }
      const bar = lsa.barrierSession(coopCta(), comm, index, own ? { team, handle } : {});
      const seen = next.load(threadIdx.x);
      bar.sync(coopCta(), 'acq_rel');
      mine.store(128 + threadIdx.x, seen);
    },
  ),
);

export const inTurn: Case<'barriers/sessions/in-turn'> = defineCase({
  id: 'barriers/sessions/in-turn',
  mirrors: '~ncclLsaBarrierSession, which saves the epoch',
  ranks: [1, 2, 4],
  kernels: [sequence.lsa, sequence.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await createBarriers(comm, choice, 1 + ctas);
      const win = await comm.allocWindow('u32', ctas * 160);
      await comm.launch(sequence[choice], { grid: ctas, block: 32 }, { ...barriers, win });
      const members = membersOf(barriers);
      const next = at(members, (barriers.team.rank + 1) % members.length);
      const words = await win.read();
      for (const cta of count(ctas)) {
        const seen = [0, 1, 2, 9].flatMap((turn) => count(32).map(() => next * 100 + cta * 10 + turn));
        expectValues(`CTA ${cta} of rank ${comm.rank}`, words.subarray(160 * cta + 32, 160 * cta + 160), seen);
      }
    });
  },
});

const twoAlive = kernelPair((own) =>
  kernel(
    { name: `twoSessions${own}`, use: { ...use, own }, params },
    ({ lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, u32 }, { comm, team, handle, win }) => {
      // Each CTA has two barriers and its own part of the window.
      const first = blockIdx.x * 256;
      const number = u32(comm.rank) + blockIdx.x * 10;
      const mine = lsa.localPointer(win, u32, first);
      const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
      const one = lsa.barrierSession(coopCta(), comm, 2 * blockIdx.x, own ? { team, handle } : {});
      const two = lsa.barrierSession(coopCta(), comm, 2 * blockIdx.x + 1, own ? { team, handle } : {});
      mine.store(threadIdx.x, number + 100);
      one.arrive(coopCta(), 'release');
      two.arrive(coopCta(), 'release');
      two.wait(coopCta(), 'acquire');
      one.wait(coopCta(), 'acquire');
      const seen = next.load(threadIdx.x);
      two.sync(coopCta(), 'acq_rel');
      mine.store(threadIdx.x, number + 200);
      one.sync(coopCta(), 'acq_rel');
      mine.store(32 + threadIdx.x, seen * 1000 + next.load(threadIdx.x));
      two.sync(coopCta(), 'acq_rel');
    },
  ),
);

export const twoAtOnce: Case<'barriers/sessions/two-at-once'> = defineCase({
  id: 'barriers/sessions/two-at-once',
  mirrors: 'ncclLsaBarrierSession, two of different indices',
  ranks: [1, 2, 4],
  kernels: [twoAlive.lsa, twoAlive.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await createBarriers(comm, choice, 2 * ctas);
      const win = await comm.allocWindow('u32', ctas * 64);
      // Twice, to check the saved epochs of both.
      for (let launch = 0; launch < 2; launch++) {
        await comm.launch(twoAlive[choice], { grid: ctas, block: 32 }, { ...barriers, win });
        const members = membersOf(barriers);
        const next = at(members, (barriers.team.rank + 1) % members.length);
        const words = await win.read();
        for (const cta of count(ctas)) {
          const number = next + cta * 10;
          expectValues(
            `CTA ${cta} of rank ${comm.rank}`,
            words.subarray(64 * cta + 32, 64 * cta + 64),
            count(32).map(() => (number + 100) * 1000 + number + 200),
          );
        }
        await meet(comm);
      }
    });
  },
});

const early = kernelPair((own) =>
  kernel(
    { name: `earlyReturn${own}`, use: { ...use, own }, params: { ...params, last: u32 } },
    ({ lsa, teamRankToLsa, own, coopCta, blockIdx, threadIdx, u32 }, { comm, team, handle, win, last }) => {
      if (blockIdx.x > last) return;
      const mine = lsa.localPointer(win, u32, 0);
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, own ? { team, handle } : {});
      mine.store(blockIdx.x * 32 + threadIdx.x, u32(comm.rank) + 7);
      bar.sync(coopCta(), 'acq_rel');
      const next = lsa.pointer(win, u32, 0, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
      mine.store(128 + blockIdx.x * 32 + threadIdx.x, next.load(blockIdx.x * 32 + threadIdx.x));
      // The destructor runs on this exit too.
      if (last === 2) return;
      bar.sync(coopCta(), 'acq_rel');
    },
  ),
);

export const earlyReturn: Case<'barriers/sessions/early-return'> = defineCase({
  id: 'barriers/sessions/early-return',
  mirrors: '~ncclLsaBarrierSession on every exit path',
  ranks: [1, 2, 4],
  kernels: [early.lsa, early.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await createBarriers(comm, choice, 4);
      const win = await comm.allocWindow('u32', 256);
      for (const last of [1, 2, 3, 2]) {
        await comm.launch(early[choice], { grid: 4, block: 32 }, { ...barriers, win, last });
        await meet(comm);
      }
      const members = membersOf(barriers);
      const next = at(members, (barriers.team.rank + 1) % members.length);
      expectValues(
        `rank ${comm.rank}`,
        (await win.read()).subarray(128),
        count(128).map(() => next + 7),
      );
    });
  },
});

const strided = kernel(
  {
    name: 'stridedTeam',
    use: { lsa, teamRankToLsa, teamLsa, teamOuterFactor },
    params: { comm: devComm, handle: lsaBarrierHandle, win: window, blockSize: u32 },
  },
  (
    { lsa, teamRankToLsa, teamLsa, teamOuterFactor, coopCta, threadIdx, blockIdx, u32, i32 },
    { comm, handle, win, blockSize },
  ) => {
    const team = teamOuterFactor(teamLsa(comm), i32(blockSize));
    // Each CTA has its own part of the window.
    const first = blockIdx.x * 256;
    const mine = lsa.localPointer(win, u32, first);
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, { team, handle });
    mine.store(threadIdx.x, u32(comm.rank + 1) * 100 + blockIdx.x * 40 + threadIdx.x);
    bar.sync(coopCta(), 'acq_rel');
    let sum = u32(0);
    for (let i = 0; i < team.nRanks; i++)
      sum += lsa.pointer(win, u32, first, teamRankToLsa(comm, team, i)).load(threadIdx.x);
    bar.sync(coopCta(), 'acq_rel');
    mine.store(32 + threadIdx.x, sum);
  },
);

export const stridedTeam: Case<'barriers/sessions/strided-team'> = defineCase({
  id: 'barriers/sessions/strided-team',
  mirrors: 'ncclTeamOuterFactor, ncclLsaBarrierCreateRequirement',
  ranks: [2, 4, 8],
  kernels: [strided],
  run: async ({ run, shape: { lsaSize } }) => {
    await run(async (comm) => {
      const across = hostOuterFactor(comm.teamLsa(), 2);
      const barriers = await createTeamBarriers(comm, across, 3);
      const win = await comm.allocWindow('u32', ctas * 64);
      const { comm: dev, handle } = barriers;
      await comm.launch(strided, { grid: ctas, block: 32 }, { comm: dev, handle, win, blockSize: 2 });
      const members = count(lsaSize).filter((rank) => rank % 2 === comm.rank % 2);
      const words = await win.read();
      for (const cta of count(ctas)) {
        const sums = count(32, cta * 40).map((i) => members.reduce((sum, rank) => sum + (rank + 1) * 100 + i, 0));
        expectValues(`CTA ${cta} of rank ${comm.rank}`, words.subarray(64 * cta + 32, 64 * cta + 64), sums);
      }
    });
  },
});

const reduce = kernelPair((own) =>
  kernel(
    { name: `allReduce${own}`, use: { ...use, own }, params: { ...params, n: u32 } },
    (
      { lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, blockDim, gridDim, u32, f32 },
      { comm, team, handle, win, n },
    ) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, own ? { team, handle } : {});
      bar.sync(coopCta(), 'acquire');
      const threads = blockDim.x * gridDim.x * u32(team.nRanks);
      const first = threadIdx.x + blockDim.x * (u32(team.rank) + blockIdx.x * u32(team.nRanks));
      for (let o = first; o < n; o += threads) {
        let v = f32(0);
        for (let i = 0; i < team.nRanks; i++) v += lsa.pointer(win, f32, 0, teamRankToLsa(comm, team, i)).load(o);
        for (let i = 0; i < team.nRanks; i++) lsa.pointer(win, f32, 0, teamRankToLsa(comm, team, i)).store(o, v);
      }
      bar.sync(coopCta(), 'release');
    },
  ),
);

export const inPlaceAllReduce: Case<'barriers/in-place-all-reduce'> = defineCase({
  id: 'barriers/in-place-all-reduce',
  mirrors: 'docs/examples/06_device_api/01_allreduce_lsa',
  ranks: [1, 2, 4, 8],
  kernels: [reduce.lsa, reduce.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const n = 3001;
      const barriers = await createBarriers(comm, choice, 4);
      const win = await comm.allocWindow('f32', n);
      const value = (rank: number, i: number): number => Math.fround(Math.sin(i + 1) * (rank + 1));
      await win.write(count(n).map((i) => value(comm.rank, i)));
      await meet(comm);
      await comm.launch(reduce[choice], { grid: 4, block: 64 }, { ...barriers, win, n });
      await meet(comm);
      // The additions have the same order, and each is rounded, so the bits are the same.
      const sums = count(n).map((i) => membersOf(barriers).reduce((sum, rank) => Math.fround(sum + value(rank, i)), 0));
      expectValues(`rank ${comm.rank}`, await win.read(), sums);
    });
  },
});

const leaving = kernelPair((own) =>
  kernel(
    { name: `leavingBlocks${own}`, use: { ...use, own }, params: { ...params, rounds: u32 } },
    ({ lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, u32 }, { comm, team, handle, win, rounds }) => {
      // Each CTA has its own part of the window.
      const first = blockIdx.x * 256;
      const mine = lsa.localPointer(win, u32, first);
      const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
      let seen = u32(0);
      for (let round = u32(0); round < 100; round++) {
        const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, own ? { team, handle } : {});
        mine.store(threadIdx.x, u32(comm.rank) + blockIdx.x * 10 + round);
        bar.sync(coopCta(), 'acq_rel');
        seen = seen * 2 + next.load(threadIdx.x);
        bar.sync(coopCta(), 'acq_rel');
        // Every exit ends the session of this round.
        if (round % 2 === 0) continue;
        if (round >= rounds) break;
        bar.sync(coopCta(), 'relaxed');
      }
      mine.store(32 + threadIdx.x, seen);
    },
  ),
);

export const leavingBlocks: Case<'barriers/sessions/leaving-loops'> = defineCase({
  id: 'barriers/sessions/leaving-loops',
  mirrors: '~ncclLsaBarrierSession at break and continue',
  ranks: [1, 2, 4],
  kernels: [leaving.lsa, leaving.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await createBarriers(comm, choice, ctas);
      const win = await comm.allocWindow('u32', ctas * 64);
      for (const rounds of [4, 0, 7]) {
        await comm.launch(leaving[choice], { grid: ctas, block: 32 }, { ...barriers, win, rounds });
        const members = membersOf(barriers);
        const next = at(members, (barriers.team.rank + 1) % members.length);
        // The loop ends in the first odd round from `rounds` on.
        const last = rounds + (rounds % 2 === 0 ? 1 : 0);
        const words = await win.read();
        for (const cta of count(ctas)) {
          const seen = count(last + 1).reduce((sum, round) => (sum * 2 + next + cta * 10 + round) % 2 ** 32, 0);
          expectValues(
            `CTA ${cta} after ${rounds} rounds`,
            words.subarray(64 * cta + 32, 64 * cta + 64),
            count(32).map(() => seen),
          );
        }
      }
    });
  },
});
