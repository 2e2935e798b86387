import { at } from '@nccl-ts/core';
import { barrier } from '@nccl-ts/barrier';
import { devComm, teamRail, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { createHybridBarriers, worldRanks, hybridRequires } from './create-hybrid-barriers.ts';

const shapes = { ranks: [1, 4, 8], lsaSizes: [1, 2, 4] };
const use = { barrier, gin, lsa, teamRail, teamWorld };
const params = { comm: devComm, win: window, got: window, rounds: u32 };
const ctas = 2;

const getting = kernel(
  { name: 'hybridGets', use, params },
  ({ barrier, gin, lsa, teamWorld, coopCta, threadIdx, blockIdx, u32 }, { comm, win, got, rounds }) => {
    const net = gin.context(comm, 0);
    const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
    const next = (comm.rank + 1) % comm.nRanks;
    // For each CTA: a word that others get, and a sum for each thread.
    const words = lsa.localPointer(win, u32, 0);
    const first = 33 * blockIdx.x;
    let sum = u32(0);
    for (let round = u32(0); round < rounds; round++) {
      if (threadIdx.x === 0) words.store(first, u32(comm.rank) * 100 + round * 10 + blockIdx.x);
      bar.sync(coopCta(), 'seq_cst', 'none');
      if (threadIdx.x === 0) net.get(teamWorld(comm), next, win, first * 4, got, blockIdx.x * 4, 4);
      bar.sync(coopCta(), 'seq_cst', 'get');
      sum = sum * 2 + lsa.localPointer(got, u32, 0).load(blockIdx.x);
      bar.sync(coopCta(), 'seq_cst', 'none');
    }
    words.store(first + 1 + threadIdx.x, sum);
  },
);

export const fenceGet: Case<'hybrid-barriers/world/fence-get'> = defineCase({
  id: 'hybrid-barriers/world/fence-get',
  mirrors: 'ncclBarrierSession::sync with ncclGinFenceLevel::Get: the domain, then the rail',
  requires: hybridRequires,
  ...shapes,
  kernels: [getting],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const { comm: dev } = await createHybridBarriers(comm, ctas);
      const [win, got] = [await comm.allocWindow('u32', ctas * 33), await comm.allocWindow('u32', ctas)];
      const rounds = 3;
      await comm.launch(getting, { grid: ctas, block: 32 }, { comm: dev, win, got, rounds });
      const next = (comm.rank + 1) % ranks;
      const words = await win.read();
      for (const cta of count(ctas)) {
        const sum = count(rounds).reduce((all, round) => all * 2 + next * 100 + round * 10 + cta, 0);
        const expected = count(32).map(() => sum);
        expectValues(`CTA ${cta} of rank ${comm.rank}`, words.subarray(33 * cta + 1, 33 * cta + 33), expected);
      }
      await meet(comm);
    });
  },
});

/**
 * A number travels around the domain and around the rail. Each part synchronizes separately, and
 * then all together.
 */
const apart = kernel(
  { name: 'hybridParts', use, params },
  ({ barrier, gin, lsa, teamRail, coopCta, threadIdx, blockIdx, u32 }, { comm, win, rounds }) => {
    const net = gin.context(comm, 0);
    const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
    const rail = teamRail(comm);
    const words = lsa.localPointer(win, u32, 0);
    const first = 3 * blockIdx.x;
    const near = lsa.pointer(win, u32, 0, (comm.lsaRank + 1) % comm.lsaSize);
    for (let round = u32(0); round < rounds; round++) {
      if (threadIdx.x === 0) near.store(first, words.load(first + 2) + 1);
      bar.lsaBarrier().arrive(coopCta(), 'release');
      bar.lsaBarrier().wait(coopCta(), 'acquire');
      if (threadIdx.x === 0)
        net.putValue(rail, (rail.rank + 1) % rail.nRanks, win, (first + 1) * 4, words.load(first) + 1);
      bar.ginBarrier().sync(coopCta(), 'acq_rel', 'put');
      if (threadIdx.x === 0) words.store(first + 2, words.load(first + 1));
      bar.sync(coopCta(), 'seq_cst', 'none');
    }
  },
);

export const parts: Case<'hybrid-barriers/parts'> = defineCase({
  id: 'hybrid-barriers/parts',
  mirrors: 'ncclBarrierSession::lsaBarrier, ncclBarrierSession::ginBarrier',
  requires: hybridRequires,
  ...shapes,
  kernels: [apart],
  run: async ({ run }) => {
    await run(async (comm) => {
      const { comm: dev } = await createHybridBarriers(comm, ctas);
      const [win, got] = [await comm.allocWindow('u32', 6), await comm.allocWindow('u32', 1)];
      let passed = 0;
      for (const rounds of [1, 4]) {
        await comm.launch(apart, { grid: ctas, block: 32 }, { comm: dev, win, got, rounds });
        passed += rounds;
        const each = [2 * passed - 1, 2 * passed, 2 * passed];
        expectValues(`rank ${comm.rank}`, await win.read(), [...each, ...each]);
        await meet(comm);
      }
    });
  },
});

const unequal = kernel(
  { name: 'hybridUnequal', use, params },
  ({ barrier, gin, lsa, coopCta, threadIdx, blockIdx, u32 }, { comm, win, rounds }) => {
    const net = gin.context(comm, 0);
    const bar = barrier.session(coopCta(), net, 'world', blockIdx.x);
    // Each CTA synchronizes as often as its number, because barriers of different indices are
    // independent.
    for (let round = u32(0); round < rounds * blockIdx.x; round++) {
      if (round % 3 === 0) bar.sync(coopCta(), 'relaxed', 'put');
      else if (round % 3 === 1) bar.sync(coopCta(), 'relaxed', 'none');
      else bar.sync(coopCta(), 'acq_rel');
    }
    if (threadIdx.x === 0) lsa.localPointer(win, u32, 0).store(blockIdx.x, rounds + blockIdx.x);
  },
);

export const perIndex: Case<'hybrid-barriers/per-index'> = defineCase({
  id: 'hybrid-barriers/per-index',
  mirrors: 'ncclBarrierSession, one index per CTA, and fences in turn',
  requires: hybridRequires,
  ...shapes,
  kernels: [unequal],
  run: async ({ run }) => {
    await run(async (comm) => {
      const { comm: dev } = await createHybridBarriers(comm, 4);
      const [win, got] = [await comm.allocWindow('u32', 4), await comm.allocWindow('u32', 1)];
      for (const rounds of [2, 1, 3]) {
        await comm.launch(unequal, { grid: 4, block: 32 }, { comm: dev, win, got, rounds });
        expectValues(`rank ${comm.rank}`, await win.read(), count(4, rounds));
      }
      await meet(comm);
    });
  },
});

/**
 * Like `parts`, but each synchronization is a call with its own session. The barriers after the
 * rail's are the world's.
 */
const short = kernel(
  { name: 'oneShotBarriers', use: { ...use }, params },
  ({ barrier, gin, lsa, teamRail, teamWorld, coopCta, threadIdx, blockIdx, gridDim, u32 }, { comm, win, rounds }) => {
    const net = gin.context(comm, 0);
    const rail = teamRail(comm);
    const words = lsa.localPointer(win, u32, 0).offset(4 * blockIdx.x);
    const first = 16 * blockIdx.x;
    for (let round = u32(0); round < rounds; round++) {
      const number = u32(comm.rank) * 100 + round * 10 + blockIdx.x;
      if (threadIdx.x === 0) {
        net.putValue(teamWorld(comm), (comm.rank + 1) % comm.nRanks, win, first, number);
        net.putValue(rail, (rail.rank + 1) % rail.nRanks, win, first + 4, number);
      }
      barrier.sync(coopCta(), net, 'world', gridDim.x + blockIdx.x);
      if (threadIdx.x === 0) words.store(2, words.load(2) * 2 + words.load(0));
      barrier.sync(coopCta(), net, 'rail', blockIdx.x, 'acq_rel', 'none');
      gin.barrier(coopCta(), net, 'rail', blockIdx.x, 'acq_rel', 'put');
      if (threadIdx.x === 0) words.store(3, words.load(3) * 2 + words.load(1));
      gin.barrier(coopCta(), net, 'world', blockIdx.x);
    }
  },
);

export const freeFunctions: Case<'hybrid-barriers/free-functions'> = defineCase({
  id: 'hybrid-barriers/free-functions',
  mirrors: 'ncclBarrier, ncclGinBarrier',
  requires: hybridRequires,
  ...shapes,
  kernels: [short],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const asks = { ginConnectionType: 'full', railGinBarrierCount: ctas, worldGinBarrierCount: ctas } as const;
      const { comm: dev, outer } = await createHybridBarriers(comm, 2 * ctas, asks);
      const [win, got] = [await comm.allocWindow('u32', ctas * 4), await comm.allocWindow('u32', 1)];
      const rounds = 3;
      await comm.launch(short, { grid: ctas, block: 32 }, { comm: dev, win, got, rounds });
      const before = (comm.rank + ranks - 1) % ranks;
      const rail = worldRanks(comm, outer);
      const beforeOnRail = at(rail, (outer.rank + rail.length - 1) % rail.length);
      const words = await win.read();
      for (const cta of count(ctas)) {
        const sums = [before, beforeOnRail].map((from) =>
          count(rounds).reduce((sum, round) => sum * 2 + from * 100 + round * 10 + cta, 0),
        );
        expectValues(`CTA ${cta} of rank ${comm.rank}`, words.subarray(4 * cta + 2, 4 * cta + 4), sums);
      }
      await meet(comm);
    });
  },
});
