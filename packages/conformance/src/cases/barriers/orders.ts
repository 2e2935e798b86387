import { at as itemAt, type MemoryOrder } from '@nccl-ts/core';
import { devComm, lsaBarrierHandle, team, teamRankToLsa, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { kernelPair, membersOf, createBarriers } from './create-barriers.ts';

const params = { comm: devComm, team, handle: lsaBarrierHandle, win: window, rounds: u32 };
const use = { lsa, teamRankToLsa };
const threads = 32;
const ctas = 2;

/**
 * In every round each rank pushes a number into all windows, synchronizes, and sums the received
 * numbers. It synchronizes again before the next round overwrites them.
 */
const exchange = (order: MemoryOrder) =>
  kernelPair((own) =>
    kernel(
      { name: `exchange_${order}${own ? '_own' : ''}`, use: { ...use, own, order }, params },
      (
        { lsa, teamRankToLsa, own, order, coopCta, fence, threadIdx, blockIdx, u32 },
        { comm, team, handle, win, rounds },
      ) => {
        const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, own ? { team, handle } : {});
        // Each CTA has its own part of the window.
        const first = blockIdx.x * u32(team.nRanks + 1) * 128;
        const mine = lsa.localPointer(win, u32, first);
        let sum = u32(0);
        for (let round = u32(0); round < rounds; round++) {
          for (let i = 0; i < team.nRanks; i++) {
            const inbox = lsa.pointer(win, u32, first, teamRankToLsa(comm, team, i));
            const number = u32(comm.rank + 1) * 1000 + blockIdx.x * 200 + round * 32 + threadIdx.x;
            inbox.store(u32(team.rank) * 32 + threadIdx.x, number);
          }
          // The author must add the halves that the order omits.
          if (order === 'relaxed' || order === 'acquire') {
            coopCta().sync();
            fence('release', 'system');
          }
          bar.sync(coopCta(), order);
          if (order === 'relaxed' || order === 'release') {
            fence('acquire', 'system');
            coopCta().sync();
          }
          for (let i = 0; i < team.nRanks; i++) sum += mine.load(u32(i) * 32 + (31 - threadIdx.x));
          bar.sync(coopCta(), 'acq_rel');
        }
        mine.store(u32(team.nRanks) * 32 + threadIdx.x, sum);
      },
    ),
  );

function orderCase<const Id extends string>(id: Id, order: MemoryOrder): Case<Id> {
  const kernels = exchange(order);
  const rounds = 3;
  return defineCase({
    id,
    mirrors: 'ncclLsaBarrierSession::sync',
    ranks: [1, 2, 4, 8],
    lsaSizes: [1, 2, 4, 8],
    kernels: [kernels.lsa, kernels.inner],
    derivesTeam: true,
    run: async ({ run, team: choice, shape: { lsaSize } }) => {
      await run(async (comm) => {
        const barriers = await createBarriers(comm, choice, ctas);
        const win = await comm.allocWindow('u32', ctas * (lsaSize + 1) * threads);
        await comm.launch(kernels[choice], { grid: ctas, block: threads }, { ...barriers, win, rounds });
        await meet(comm);
        const members = membersOf(barriers);
        const words = await win.read();
        for (const cta of count(ctas)) {
          const sums = count(threads).map((i) =>
            count(rounds)
              .flatMap((round) => members.map((rank) => (rank + 1) * 1000 + cta * 200 + round * 32 + 31 - i))
              .reduce((a, b) => a + b),
          );
          const at = (cta * (members.length + 1) + members.length) * threads;
          expectValues(`sums of CTA ${cta} of rank ${comm.rank}`, words.subarray(at, at + threads), sums);
        }
      });
    },
  });
}

export const relaxed: Case<'barriers/order/relaxed'> = orderCase('barriers/order/relaxed', 'relaxed');
export const acquire: Case<'barriers/order/acquire'> = orderCase('barriers/order/acquire', 'acquire');
export const release: Case<'barriers/order/release'> = orderCase('barriers/order/release', 'release');
export const acqRel: Case<'barriers/order/acq-rel'> = orderCase('barriers/order/acq-rel', 'acq_rel');
export const seqCst: Case<'barriers/order/seq-cst'> = orderCase('barriers/order/seq-cst', 'seq_cst');

const split = kernelPair((own) =>
  kernel(
    { name: `arriveThenWait${own ? '_own' : ''}`, use: { ...use, own }, params },
    ({ lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, u32 }, { comm, team, handle, win, rounds }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, own ? { team, handle } : {});
      // Each CTA has its own half of the window.
      const first = blockIdx.x * 2048;
      const mine = lsa.localPointer(win, u32, first);
      const scratch = lsa.localPointer(win, u32, first + 1024);
      let seen = u32(0);
      for (let round = u32(0); round < rounds; round++) {
        mine.store(threadIdx.x, u32(comm.rank + 1) * 100 + blockIdx.x * 10 + round);
        bar.arrive(coopCta(), 'release');
        // Other work between the halves.
        for (let i = u32(0); i < 8; i++) scratch.store(threadIdx.x, scratch.load(threadIdx.x) + i);
        bar.wait(coopCta(), 'acquire');
        const next = teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks);
        seen = seen * 3 + lsa.pointer(win, u32, first, next).load((threadIdx.x + 1) % 32);
        bar.sync(coopCta(), 'acq_rel');
      }
      mine.store(32 + threadIdx.x, seen);
    },
  ),
);

export const arriveAndWait: Case<'barriers/arrive-wait'> = defineCase({
  id: 'barriers/arrive-wait',
  mirrors: 'ncclLsaBarrierSession::arrive, ::wait',
  ranks: [1, 2, 4],
  kernels: [split.lsa, split.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const rounds = 4;
      const barriers = await createBarriers(comm, choice, ctas);
      const win = await comm.allocWindow('u32', 1024);
      await comm.launch(split[choice], { grid: ctas, block: threads }, { ...barriers, win, rounds });
      await meet(comm);
      const members = membersOf(barriers);
      const next = itemAt(members, (barriers.team.rank + 1) % members.length);
      const words = await win.read();
      for (const cta of count(ctas)) {
        const seen = count(rounds).reduce((sum, round) => sum * 3 + (next + 1) * 100 + cta * 10 + round, 0);
        const after = words.subarray(512 * cta, 512 * cta + 512);
        expectValues(
          `seen by CTA ${cta}`,
          after.subarray(32, 64),
          count(32).map(() => seen),
        );
        expectValues(
          `scratch of CTA ${cta}`,
          after.subarray(256, 288),
          count(32).map(() => 28 * rounds),
        );
      }
    });
  },
});
