import { devComm, lsaBarrierHandle, resourceLocalPointer, team, teamRankToLsa, window } from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { kernelPair, membersOf, createBarriers } from './create-barriers.ts';

const params = { comm: devComm, team, handle: lsaBarrierHandle, win: window, rounds: u32 };
const use = { lsa, resourceLocalPointer, teamRankToLsa };

/**
 * Each CTA has a barrier and uses it `rounds` times. Each round passes a number to the next rank.
 */
const meetings = kernelPair((own) =>
  kernel(
    { name: `meetings${own ? '_own' : ''}`, use: { ...use, own }, params },
    ({ lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, u32 }, { comm, team, handle, win, rounds }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, own ? { team, handle } : {});
      const mine = lsa.localPointer(win, u32, 0);
      const next = lsa.pointer(win, u32, 0, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
      for (let round = u32(0); round < rounds; round++) {
        if (threadIdx.x === 0) next.store(2 * blockIdx.x, mine.load(2 * blockIdx.x + 1) + 1);
        bar.sync(coopCta(), 'acq_rel');
        if (threadIdx.x === 0) mine.store(2 * blockIdx.x + 1, mine.load(2 * blockIdx.x));
        bar.sync(coopCta(), 'acq_rel');
      }
    },
  ),
);

/** The saved epochs, which are words n to 2n of the barrier's buffer. */
const readEpochs = kernel(
  { name: 'readEpochs', use, params: { comm: devComm, handle: lsaBarrierHandle, win: window } },
  ({ lsa, resourceLocalPointer, threadIdx, u32 }, { comm, handle, win }) => {
    const words = resourceLocalPointer(comm, u32, handle.bufHandle);
    lsa.localPointer(win, u32, 1024).store(threadIdx.x, words.load(u32(handle.nBarriers) + threadIdx.x));
  },
);

/** Sets the saved epochs and inboxes of every rank as if it had synchronized `epoch` times. */
const seedEpochs = kernel(
  { name: 'seedEpochs', use, params: { comm: devComm, handle: lsaBarrierHandle, team, epoch: u32 } },
  ({ resourceLocalPointer, threadIdx, u32 }, { comm, handle, team, epoch }) => {
    const words = resourceLocalPointer(comm, u32, handle.bufHandle);
    const n = u32(handle.nBarriers);
    words.store(n + threadIdx.x, epoch);
    for (let i = u32(0); i < u32(team.nRanks); i++) words.store(3 * n + threadIdx.x * u32(team.nRanks) + i, epoch);
  },
);

const barrierCount = 3;
const kernels = [meetings.lsa, meetings.inner, readEpochs, seedEpochs];

/**
 * The expected values around the ring. After `rounds` rounds, each value has passed that many
 * ranks.
 */
function handedOn(rounds: number): readonly number[] {
  return count(barrierCount).flatMap(() => [rounds, rounds]);
}

export const acrossLaunches: Case<'barriers/epochs/across-launches'> = defineCase({
  id: 'barriers/epochs/across-launches',
  results: 'order',
  mirrors: 'ncclLsaBarrierSession, whose epoch outlives the kernel',
  ranks: [1, 2, 4],
  kernels,
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await createBarriers(comm, choice, barrierCount);
      const { handle } = barriers;
      const win = await comm.allocWindow('u32', 512);
      let met = 0;
      for (const rounds of [1, 4, 0, 2]) {
        await comm.launch(meetings[choice], { grid: barrierCount, block: 64 }, { ...barriers, win, rounds });
        met += rounds;
        await comm.launch(readEpochs, { grid: 1, block: barrierCount }, { comm: barriers.comm, handle, win });
        const after = await win.read();
        expectValues(
          `epochs after ${met} rounds`,
          after.subarray(256, 256 + barrierCount),
          count(barrierCount).map(() => 2 * met),
        );
      }
      await meet(comm);
      expectValues('handed on', (await win.read()).subarray(0, 2 * barrierCount), handedOn(met));
    });
  },
});

export const wrapAround: Case<'barriers/epochs/wrap-around'> = defineCase({
  id: 'barriers/epochs/wrap-around',
  mirrors: 'nccl::utility::rollingLessEq, 32 bits',
  ranks: [2, 4],
  kernels,
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      for (const epoch of [2 ** 32 - 1, 2 ** 32 - 3, 2 ** 31 - 2]) {
        const barriers = await createBarriers(comm, choice, barrierCount);
        const { handle, team: members } = barriers;
        const win = await comm.allocWindow('u32', 512);
        await comm.launch(
          seedEpochs,
          { grid: 1, block: barrierCount },
          { comm: barriers.comm, handle, team: members, epoch },
        );
        await meet(comm);
        const rounds = 3;
        await comm.launch(meetings[choice], { grid: barrierCount, block: 32 }, { ...barriers, win, rounds });
        await comm.launch(readEpochs, { grid: 1, block: barrierCount }, { comm: barriers.comm, handle, win });
        await meet(comm);
        const after = await win.read();
        const wrapped = (epoch + 2 * rounds) % 2 ** 32;
        expectValues(
          `epochs from ${epoch} on`,
          after.subarray(256, 256 + barrierCount),
          count(barrierCount).map(() => wrapped),
        );
        expectValues('handed on', after.subarray(0, 2 * barrierCount), handedOn(rounds));
      }
    });
  },
});

export const manyRounds: Case<'barriers/epochs/many-rounds'> = defineCase({
  id: 'barriers/epochs/many-rounds',
  mirrors: 'ncclLsaBarrierSession::sync',
  ranks: [2, 3, 8],
  kernels,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await createBarriers(comm, choice, barrierCount);
      const win = await comm.allocWindow('u32', 512);
      const rounds = 40;
      await comm.launch(meetings[choice], { grid: barrierCount, block: 32 }, { ...barriers, win, rounds });
      await meet(comm);
      expectValues('handed on', (await win.read()).subarray(0, 2 * barrierCount), handedOn(rounds));
    });
  },
});

const unequal = kernelPair((own) =>
  kernel(
    {
      name: `unequalRounds${own ? '_own' : ''}`,
      use: { lsa, own },
      params: { comm: devComm, team, handle: lsaBarrierHandle, win: window },
    },
    ({ lsa, own, coopCta, threadIdx, blockIdx, u32 }, { comm, team, handle, win }) => {
      const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, own ? { team, handle } : {});
      // Each CTA synchronizes as often as its number, because barriers are independent of each
      // other.
      for (let round = u32(0); round < 2 * blockIdx.x; round++) bar.sync(coopCta(), 'relaxed');
      if (threadIdx.x === 0) lsa.localPointer(win, u32, 0).store(blockIdx.x, blockIdx.x + 1);
    },
  ),
);

export const perCta: Case<'barriers/epochs/per-cta'> = defineCase({
  id: 'barriers/epochs/per-cta',
  mirrors: 'ncclLsaBarrierSession, one index per CTA',
  ranks: [1, 2, 4],
  kernels: [unequal.lsa, unequal.inner, readEpochs],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const ctas = 6;
      const barriers = await createBarriers(comm, choice, ctas);
      const win = await comm.allocWindow('u32', 512);
      await comm.launch(unequal[choice], { grid: ctas, block: 64 }, { ...barriers, win });
      await comm.launch(readEpochs, { grid: 1, block: ctas }, { comm: barriers.comm, handle: barriers.handle, win });
      const after = await win.read();
      expectValues('CTAs that ended', after.subarray(0, ctas), count(ctas, 1));
      expectValues(
        'epochs',
        after.subarray(256, 256 + ctas),
        count(ctas).map((i) => 2 * i),
      );
    });
  },
});

export const twoDevComms: Case<'barriers/epochs/two-dev-comms'> = defineCase({
  id: 'barriers/epochs/two-dev-comms',
  results: 'order',
  mirrors: 'ncclDevCommCreate',
  ranks: [2, 4],
  kernels,
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const one = await createBarriers(comm, choice, barrierCount);
      const two = await createBarriers(comm, choice, barrierCount);
      const win = await comm.allocWindow('u32', 512);
      const shape = { grid: barrierCount, block: 32 };
      await comm.launch(meetings[choice], shape, { ...one, win, rounds: 3 });
      await comm.launch(meetings[choice], shape, { ...two, win, rounds: 1 });
      await comm.launch(readEpochs, { grid: 1, block: barrierCount }, { comm: two.comm, handle: two.handle, win });
      expectValues('epochs of the second', (await win.read()).subarray(256, 259), [2, 2, 2]);
      await one.comm.destroy();
      await comm.launch(meetings[choice], shape, { ...two, win, rounds: 2 });
      await meet(comm);
      expectValues('handed on', (await win.read()).subarray(0, 2 * barrierCount), handedOn(6));
      expectValues('members', membersOf(two), membersOf(one));
    });
  },
});
