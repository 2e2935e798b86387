import { at as itemAt } from '@nccl-ts/core';
import { devComm, lsaBarrierHandle, team, teamRankToLsa, window } from '@nccl-ts/devcomm';
import { kernel, u32, type HostOf, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import type { Requirements } from '../../requirements.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { kernelPair, membersOf, createBarriers, type KernelPair } from './create-barriers.ts';

/*
 * The same exchange for every kind of group. Group number g of a CTA has its own barrier. Its
 * threads push their numbers into the CTA's part of the next rank's window, and synchronize. Then
 * each adds the number that the opposite thread received to its sum.
 */

const params = { comm: devComm, team, handle: lsaBarrierHandle, win: window, rounds: u32 };
const use = { lsa, teamRankToLsa };

type Params = typeof params;
type GroupKernel = Kernel<{ readonly [Name in keyof Params]: HostOf<Params[Name]> }>;

interface GroupCase<Id extends string> {
  readonly id: Id;
  readonly mirrors: string;
  readonly requires?: Requirements;
  readonly kernels: KernelPair<GroupKernel>;
  readonly block: number;
  /** The threads of each group, by their index in the CTA. */
  readonly groups: readonly (readonly number[])[];
}

const rounds = 3;
const ctas = 2;

function groupCase<const Id extends string>(definition: GroupCase<Id>): Case<Id> {
  const { id, mirrors, requires = {}, kernels, block, groups } = definition;
  return defineCase({
    id,
    mirrors,
    requires,
    ranks: [1, 2, 4],
    kernels: [kernels.lsa, kernels.inner],
    derivesTeam: true,
    run: async ({ run, team: choice }) => {
      await run(async (comm) => {
        const barriers = await createBarriers(comm, choice, ctas * groups.length);
        const win = await comm.allocWindow('u32', ctas * 2 * block);
        await comm.launch(kernels[choice], { grid: ctas, block }, { ...barriers, win, rounds });
        await meet(comm);
        const members = membersOf(barriers);
        const previous = itemAt(members, (barriers.team.rank + members.length - 1) % members.length);
        const words = await win.read();
        for (const cta of count(ctas)) {
          const sums = count(block).map((thread) => {
            const group = groups.find((one) => one.includes(thread));
            if (group === undefined) return 0;
            const opposite = itemAt(group.toReversed(), group.indexOf(thread));
            const reported = 1000 * (previous + 1) + 400 * cta + opposite;
            return count(rounds).reduce((sum, round) => sum + reported + 100 * round, 0);
          });
          const at = (2 * cta + 1) * block;
          expectValues(`sums of CTA ${cta} of rank ${comm.rank}`, words.subarray(at, at + block), sums);
        }
      });
    },
  });
}

function chunks(total: number, size: number): readonly (readonly number[])[] {
  return count(total / size).map((i) => count(size, i * size));
}

export const cta: Case<'barriers/groups/cta'> = groupCase({
  id: 'barriers/groups/cta',
  mirrors: 'ncclCoopCta',
  block: 96,
  groups: chunks(96, 96),
  kernels: kernelPair((own) =>
    kernel(
      { name: `ctaBarrier${own}`, use: { ...use, own }, params },
      (
        { lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, blockDim, u32 },
        { comm, team, handle, win, rounds },
      ) => {
        const group = coopCta();
        const first = blockIdx.x * blockDim.x * 8;
        const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
        const mine = lsa.localPointer(win, u32, first);
        const opposite = group.size() - 1 - group.threadRank();
        const bar = lsa.barrierSession(group, comm, blockIdx.x, own ? { team, handle } : {});
        for (let round = u32(0); round < rounds; round++) {
          next.store(threadIdx.x, u32(comm.rank + 1) * 1000 + blockIdx.x * 400 + round * 100 + threadIdx.x);
          bar.sync(group, 'acq_rel');
          mine.store(blockDim.x + threadIdx.x, mine.load(blockDim.x + threadIdx.x) + mine.load(opposite));
          bar.sync(group, 'acq_rel');
        }
      },
    ),
  ),
});

export const warp: Case<'barriers/groups/warp'> = groupCase({
  id: 'barriers/groups/warp',
  mirrors: 'ncclCoopWarp',
  requires: { subgroups: true },
  block: 128,
  groups: chunks(128, 32),
  kernels: kernelPair((own) =>
    kernel(
      { name: `warpBarrier${own}`, use: { ...use, own }, params },
      (
        { lsa, teamRankToLsa, own, coopWarp, threadIdx, blockIdx, blockDim, u32 },
        { comm, team, handle, win, rounds },
      ) => {
        const group = coopWarp();
        const first = blockIdx.x * blockDim.x * 8;
        const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
        const mine = lsa.localPointer(win, u32, first);
        const opposite = threadIdx.x - group.threadRank() + group.size() - 1 - group.threadRank();
        const bar = lsa.barrierSession(group, comm, blockIdx.x * 4 + threadIdx.x / 32, own ? { team, handle } : {});
        for (let round = u32(0); round < rounds; round++) {
          next.store(threadIdx.x, u32(comm.rank + 1) * 1000 + blockIdx.x * 400 + round * 100 + threadIdx.x);
          bar.sync(group, 'acq_rel');
          mine.store(blockDim.x + threadIdx.x, mine.load(blockDim.x + threadIdx.x) + mine.load(opposite));
          bar.sync(group, 'acq_rel');
        }
      },
    ),
  ),
});

export const tile: Case<'barriers/groups/tile'> = groupCase({
  id: 'barriers/groups/tile',
  mirrors: 'ncclCoopTile<8>',
  requires: { subgroups: true },
  block: 64,
  groups: chunks(64, 8),
  kernels: kernelPair((own) =>
    kernel(
      { name: `tileBarrier${own}`, use: { ...use, own }, params },
      (
        { lsa, teamRankToLsa, own, coopTile, threadIdx, blockIdx, blockDim, u32 },
        { comm, team, handle, win, rounds },
      ) => {
        const group = coopTile(8);
        const first = blockIdx.x * blockDim.x * 8;
        const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
        const mine = lsa.localPointer(win, u32, first);
        const opposite = threadIdx.x - group.threadRank() + group.size() - 1 - group.threadRank();
        const bar = lsa.barrierSession(group, comm, blockIdx.x * 8 + threadIdx.x / 8, own ? { team, handle } : {});
        for (let round = u32(0); round < rounds; round++) {
          next.store(threadIdx.x, u32(comm.rank + 1) * 1000 + blockIdx.x * 400 + round * 100 + threadIdx.x);
          bar.sync(group, 'acq_rel');
          mine.store(blockDim.x + threadIdx.x, mine.load(blockDim.x + threadIdx.x) + mine.load(opposite));
          bar.sync(group, 'acq_rel');
        }
      },
    ),
  ),
});

export const thread: Case<'barriers/groups/thread'> = groupCase({
  id: 'barriers/groups/thread',
  mirrors: 'ncclCoopThread',
  requires: { subgroups: true },
  block: 40,
  groups: chunks(40, 1),
  kernels: kernelPair((own) =>
    kernel(
      { name: `threadBarrier${own}`, use: { ...use, own }, params },
      (
        { lsa, teamRankToLsa, own, coopThread, threadIdx, blockIdx, blockDim, u32 },
        { comm, team, handle, win, rounds },
      ) => {
        const group = coopThread();
        const first = blockIdx.x * blockDim.x * 8;
        const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
        const mine = lsa.localPointer(win, u32, first);
        const bar = lsa.barrierSession(group, comm, blockIdx.x * blockDim.x + threadIdx.x, own ? { team, handle } : {});
        for (let round = u32(0); round < rounds; round++) {
          next.store(threadIdx.x, u32(comm.rank + 1) * 1000 + blockIdx.x * 400 + round * 100 + threadIdx.x);
          bar.sync(group, 'acq_rel');
          mine.store(blockDim.x + threadIdx.x, mine.load(blockDim.x + threadIdx.x) + mine.load(threadIdx.x));
          bar.sync(group, 'acq_rel');
        }
      },
    ),
  ),
});

export const warpSpan: Case<'barriers/groups/warp-span'> = groupCase({
  id: 'barriers/groups/warp-span',
  mirrors: 'ncclCoopWarpSpan',
  requires: { subgroups: true },
  block: 160,
  groups: [count(64), count(96, 64)],
  kernels: kernelPair((own) =>
    kernel(
      { name: `spanBarrier${own}`, use: { ...use, own }, params },
      (
        { lsa, teamRankToLsa, own, coopWarpSpan, threadIdx, blockIdx, blockDim, u32 },
        { comm, team, handle, win, rounds },
      ) => {
        const second = threadIdx.x >= 64;
        const group = coopWarpSpan(second ? 2 : 0, second ? 3 : 2, second ? 1 : 0);
        const first = blockIdx.x * blockDim.x * 8;
        const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
        const mine = lsa.localPointer(win, u32, first);
        const opposite = threadIdx.x - group.threadRank() + group.size() - 1 - group.threadRank();
        const bar = lsa.barrierSession(group, comm, blockIdx.x * 2 + (second ? 1 : 0), own ? { team, handle } : {});
        for (let round = u32(0); round < rounds; round++) {
          next.store(threadIdx.x, u32(comm.rank + 1) * 1000 + blockIdx.x * 400 + round * 100 + threadIdx.x);
          bar.sync(group, 'acq_rel');
          mine.store(blockDim.x + threadIdx.x, mine.load(blockDim.x + threadIdx.x) + mine.load(opposite));
          bar.sync(group, 'acq_rel');
        }
      },
    ),
  ),
});

export const lanes: Case<'barriers/groups/lanes'> = groupCase({
  id: 'barriers/groups/lanes',
  mirrors: 'ncclCoopLanes',
  requires: { subgroups: true, divergentWaits: true },
  block: 32,
  groups: [count(16).map((i) => 2 * i)],
  kernels: kernelPair((own) =>
    kernel(
      { name: `lanesBarrier${own}`, use: { ...use, own }, params },
      (
        { lsa, teamRankToLsa, own, coopLanes, threadIdx, blockIdx, blockDim, u32 },
        { comm, team, handle, win, rounds },
      ) => {
        if (threadIdx.x % 2 === 0) {
          const group = coopLanes(0x55555555);
          const first = blockIdx.x * blockDim.x * 8;
          const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
          const mine = lsa.localPointer(win, u32, first);
          const opposite = 2 * (group.size() - 1 - group.threadRank());
          const bar = lsa.barrierSession(group, comm, blockIdx.x, own ? { team, handle } : {});
          for (let round = u32(0); round < rounds; round++) {
            next.store(threadIdx.x, u32(comm.rank + 1) * 1000 + blockIdx.x * 400 + round * 100 + threadIdx.x);
            bar.sync(group, 'acq_rel');
            mine.store(blockDim.x + threadIdx.x, mine.load(blockDim.x + threadIdx.x) + mine.load(opposite));
            bar.sync(group, 'acq_rel');
          }
        }
      },
    ),
  ),
});

export const custom: Case<'barriers/groups/custom'> = groupCase({
  id: 'barriers/groups/custom',
  mirrors: "a group of the author's own, with thread_rank, size and sync",
  requires: { divergentWaits: true },
  block: 64,
  groups: [count(64)],
  kernels: kernelPair((own) =>
    kernel(
      { name: `customBarrier${own}`, use: { ...use, own }, params },
      (
        { lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, blockDim, u32 },
        { comm, team, handle, win, rounds },
      ) => {
        // The CTA's threads in reverse order.
        const group = {
          threadRank: () => blockDim.x - 1 - threadIdx.x,
          size: () => blockDim.x,
          sync: () => coopCta().sync(),
        };
        const first = blockIdx.x * blockDim.x * 8;
        const next = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
        const mine = lsa.localPointer(win, u32, first);
        const bar = lsa.barrierSession(group, comm, blockIdx.x, own ? { team, handle } : {});
        for (let round = u32(0); round < rounds; round++) {
          next.store(threadIdx.x, u32(comm.rank + 1) * 1000 + blockIdx.x * 400 + round * 100 + threadIdx.x);
          bar.sync(group, 'acq_rel');
          mine.store(blockDim.x + threadIdx.x, mine.load(blockDim.x + threadIdx.x) + mine.load(group.threadRank()));
          bar.sync(group, 'acq_rel');
        }
      },
    ),
  ),
});
