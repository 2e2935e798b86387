import type { Communicator, DevComm } from '@nccl-ts/communicator';
import {
  devComm,
  lsaBarrierCreateRequirement,
  lsaBarrierHandle,
  multimemHandle,
  resourceLocalPointer,
  team,
  teamRankToLsa,
  window,
  type LsaBarrierHandle,
  type MultimemHandle,
} from '@nccl-ts/devcomm';
import { kernel, u32, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { teamInnerFactor, type Team } from '@nccl-ts/topology';
import type { Case, TeamChoice } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectSame, expectThat, expectValues } from '../../mismatch.ts';
import { kernelPair } from '../barriers/create-barriers.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';

/** Barriers that arrive by multicast, as arguments of a kernel. */
interface MultimemBarriers {
  readonly comm: DevComm;
  readonly team: Team;
  readonly handle: LsaBarrierHandle;
  readonly mmHandle: MultimemHandle;
}

async function createMultimemBarriers(comm: Communicator, choice: TeamChoice, n: number): Promise<MultimemBarriers> {
  const domain = comm.teamLsa();
  if (choice === 'lsa') {
    const dev = await comm.createDevComm({ lsaBarrierCount: n, lsaMultimem: true });
    return { comm: dev, team: domain, handle: dev.plan.lsaBarrier, mmHandle: dev.lsaMultimem };
  }
  const half = teamInnerFactor(domain, domain.nRanks / 2);
  const { requirement, handleOf } = lsaBarrierCreateRequirement(half, n);
  const dev = await comm.createDevComm({
    resourceRequirementsList: [requirement],
    teamRequirementsList: [{ team: half, multimem: true }],
  });
  const [resource] = dev.plan.resources;
  const [mmHandle] = dev.multimemHandles;
  if (resource === undefined || mmHandle === undefined) throw new Error('The plan lacks the required resources.');
  return { comm: dev, team: half, handle: handleOf(resource), mmHandle };
}

const params = { comm: devComm, team, handle: lsaBarrierHandle, mmHandle: multimemHandle, win: window, rounds: u32 };

/**
 * Each round passes a number to the next rank, between two barriers. Some barriers use the other
 * mode.
 */
const meetings = kernelPair((own) =>
  kernel(
    { name: `multimemMeetings${own ? '_own' : ''}`, use: { lsa, teamRankToLsa, own }, params },
    ({ lsa, teamRankToLsa, own, coopCta, threadIdx, blockIdx, u32 }, { comm, team, handle, mmHandle, win, rounds }) => {
      const index = blockIdx.x;
      const bar = lsa.barrierSession(
        coopCta(),
        comm,
        index,
        own ? { team, handle, multimem: true, mmHandle } : { multimem: true },
      );
      const mine = lsa.localPointer(win, u32, 0);
      const next = lsa.pointer(win, u32, 0, teamRankToLsa(comm, team, (team.rank + 1) % team.nRanks));
      for (let round = u32(0); round < rounds; round++) {
        if (threadIdx.x === 0) next.store(2 * index, mine.load(2 * index + 1) + 1);
        bar.arrive(coopCta(), 'release');
        bar.wait(coopCta(), 'acquire');
        if (threadIdx.x === 0) mine.store(2 * index + 1, mine.load(2 * index));
        bar.sync(coopCta(), 'seq_cst');
      }
      if (rounds > 1) {
        const plain = lsa.barrierSession(coopCta(), comm, index, own ? { team, handle } : {});
        plain.sync(coopCta(), 'acq_rel');
      }
    },
  ),
);

/** The first `3n` words: saved epochs of both modes, and counters of arrivals. */
const readState = kernel(
  {
    name: 'readMultimemState',
    use: { lsa, resourceLocalPointer },
    params: { comm: devComm, handle: lsaBarrierHandle, win: window },
  },
  ({ lsa, resourceLocalPointer, threadIdx, u32 }, { comm, handle, win }) => {
    const words = resourceLocalPointer(comm, u32, handle.bufHandle);
    lsa.localPointer(win, u32, 1024).store(threadIdx.x, words.load(threadIdx.x));
  },
);

const seedState = kernel(
  {
    name: 'seedMultimemState',
    use: { resourceLocalPointer },
    params: { comm: devComm, handle: lsaBarrierHandle, epoch: u32 },
  },
  ({ resourceLocalPointer, threadIdx, u32 }, { comm, handle, epoch }) => {
    const words = resourceLocalPointer(comm, u32, handle.bufHandle);
    words.store(threadIdx.x, epoch);
    words.store(2 * u32(handle.nBarriers) + threadIdx.x, epoch);
  },
);

const barrierCount = 3;
const kernels = [meetings.lsa, meetings.inner, readState, seedState];
const requires = { multimem: true } as const;

export const epochs: Case<'multimem/barriers/epochs'> = defineCase({
  id: 'multimem/barriers/epochs',
  results: 'order',
  mirrors: 'ncclLsaBarrierSession with multimem, whose epoch outlives the kernel',
  requires,
  ranks: [1, 2, 4],
  kernels,
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const barriers = await createMultimemBarriers(comm, choice, barrierCount);
      const { handle, team: members } = barriers;
      const win = await comm.allocWindow('u32', 512);
      let met = 0;
      let plain = 0;
      for (const rounds of [1, 4, 0, 2]) {
        await comm.launch(meetings[choice], { grid: barrierCount, block: 64 }, { ...barriers, win, rounds });
        met += 2 * rounds;
        plain += rounds > 1 ? 1 : 0;
        await meet(comm);
        await comm.launch(readState, { grid: 1, block: 3 * barrierCount }, { comm: barriers.comm, handle, win });
        const arrivals = met * members.nRanks;
        const state = (await win.read()).subarray(256, 256 + 3 * barrierCount);
        const of = (value: number): readonly number[] => count(barrierCount).map(() => value);
        expectValues(`after ${met} barriers`, state, [...of(arrivals), ...of(plain), ...of(arrivals)]);
        // If a rank is ahead, its next kernel also counts here.
        await meet(comm);
      }
      await meet(comm);
      const handed = count(barrierCount).flatMap(() => [met / 2, met / 2]);
      expectValues('handed on', (await win.read()).subarray(0, 2 * barrierCount), handed);
    });
  },
});

export const wrapAround: Case<'multimem/barriers/wrap-around'> = defineCase({
  id: 'multimem/barriers/wrap-around',
  mirrors: 'nccl::utility::rollingLessEq of arrivals, 32 bits',
  requires,
  ranks: [2, 4],
  kernels,
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      for (const epoch of [2 ** 32 - 1, 2 ** 32 - 4, 2 ** 31 - 2]) {
        const barriers = await createMultimemBarriers(comm, choice, barrierCount);
        const { handle, team: members } = barriers;
        const win = await comm.allocWindow('u32', 512);
        await comm.launch(seedState, { grid: 1, block: barrierCount }, { comm: barriers.comm, handle, epoch });
        await meet(comm);
        const rounds = 3;
        await comm.launch(meetings[choice], { grid: barrierCount, block: 32 }, { ...barriers, win, rounds });
        await meet(comm);
        await comm.launch(readState, { grid: 1, block: barrierCount }, { comm: barriers.comm, handle, win });
        const after = await win.read();
        const wrapped = (epoch + 2 * rounds * members.nRanks) % 2 ** 32;
        const expected = count(barrierCount).map(() => wrapped);
        expectValues(`epochs from ${epoch} on`, after.subarray(256, 256 + barrierCount), expected);
        const handed = count(barrierCount).flatMap(() => [rounds, rounds]);
        expectValues('handed on', after.subarray(0, 2 * barrierCount), handed);
      }
    });
  },
});

const timed = kernel(
  { name: 'multimemTimeout', use: { lsa }, params: { comm: devComm, win: window, cycles: u64 } },
  ({ lsa, coopCta, threadIdx, blockIdx, blockDim, u32 }, { comm, win, cycles }) => {
    // Each CTA has its own barrier.
    const bar = lsa.barrierSession(coopCta(), comm, blockIdx.x, { multimem: true });
    lsa.localPointer(win, u32, blockIdx.x * blockDim.x * 4).store(threadIdx.x, bar.sync(coopCta(), 'acq_rel', cycles));
  },
);

export const timeouts: Case<'multimem/barriers/timeouts'> = defineCase({
  id: 'multimem/barriers/timeouts',
  mirrors: 'ncclLsaBarrierSession::sync with timeoutCycles, with multimem',
  requires: { multimem: true, scalars: ['u64'] },
  ranks: [2, 3],
  kernels: [timed],
  run: async ({ run }) => {
    await run(async (comm) => {
      const ctas = 2;
      const block = 4;
      const win = await comm.allocWindow('u32', ctas * block);
      const reached = await comm.createDevComm({ lsaBarrierCount: ctas, lsaMultimem: true });
      await comm.launch(timed, { grid: ctas, block }, { comm: reached, win, cycles: 2n ** 40n });
      expectValues(
        'reached',
        await win.read(),
        count(ctas * block).map(() => 0),
      );
      const missed = await comm.createDevComm({ lsaBarrierCount: ctas, lsaMultimem: true });
      if (comm.rank === 0) {
        await comm.launch(timed, { grid: ctas, block }, { comm: missed, win, cycles: 5000 });
        const results = await win.read();
        for (const cta of count(ctas)) expectSame(`the first thread of CTA ${cta}`, results[cta * block], 8);
        expectThat(
          results.every((result) => result === 0 || result === 8),
          `Results are 0 or 8, got ${results.join(', ')}.`,
        );
      }
      await meet(comm);
    });
  },
});
