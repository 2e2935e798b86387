import type { Communicator } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import {
  devComm,
  llA2ACalcSlots,
  llA2ACreateRequirement,
  llA2AHandle,
  multimemHandle,
  team,
  window,
  type MultimemHandle,
} from '@nccl-ts/devcomm';
import { kernel, u32 } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { lsa } from '@nccl-ts/lsa';
import { teamInnerFactor, type Team } from '@nccl-ts/topology';
import type { Case, TeamChoice } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectSame, expectValues } from '../../mismatch.ts';
import { kernelPair } from '../barriers/create-barriers.ts';
import { count } from '../fixture/numbers.ts';
import type { AllToAllSlots } from './create-slots.ts';

interface MultimemSlots extends AllToAllSlots {
  readonly mmHandle: MultimemHandle;
}

/**
 * Creates the slots of `blocks` sessions over the load-store domain, or over half of it, with a
 * multicast address over the same ranks.
 */
async function createMultimemSlots(
  comm: Communicator,
  choice: TeamChoice,
  blocks: number,
  eltsOf: (team: Team) => number,
  bytes: number,
): Promise<MultimemSlots> {
  const domain = comm.teamLsa();
  const members = choice === 'lsa' ? domain : teamInnerFactor(domain, domain.nRanks / 2);
  const { requirement, handleOf } = llA2ACreateRequirement(blocks, llA2ACalcSlots(eltsOf(members), bytes));
  const dev = await comm.createDevComm({
    resourceRequirementsList: [requirement],
    ...(choice === 'lsa' ? { lsaMultimem: true } : { teamRequirementsList: [{ team: members, multimem: true }] }),
  });
  const [resource] = dev.plan.resources;
  const mmHandle = choice === 'lsa' ? dev.lsaMultimem : dev.multimemHandles[0];
  if (resource === undefined || mmHandle === undefined) throw new Error('The plan lacks the required resources.');
  return { comm: dev, team: members, handle: handleOf(resource), mmHandle };
}

const params = { comm: devComm, team, handle: llA2AHandle, mmHandle: multimemHandle, win: window, rounds: u32 };

/**
 * Broadcasts numbers, vectors and runs of elements in each epoch, in a session of each CTA. In odd
 * rounds rank 0 sends to each member separately.
 */
const exchanges = kernelPair((own) =>
  kernel(
    { name: `multimemExchanges${own ? '_own' : ''}`, use: { llA2A, lsa, own }, params },
    (
      { llA2A, lsa, own, coopCta, threadIdx, blockIdx, blockDim, localArray, unroll, u32, i32, vec, lane },
      { comm, team, handle, mmHandle, win, rounds },
    ) => {
      const most = 3 * team.nRanks * blockDim.x;
      const session = llA2A.session(
        coopCta(),
        comm,
        team,
        handle,
        blockIdx.x,
        most,
        own ? { multimem: true, mmHandle } : { multimem: true },
      );
      const bytes = localArray(u32, 5);
      const got = localArray(u32, 5);
      let sum = u32(0);
      for (let round = u32(0); round < rounds; round++) {
        const mine = team.rank * blockDim.x + threadIdx.x;
        const value = u32(team.rank) * 1000 + round * 100 + blockIdx.x * 50 + threadIdx.x;
        if (team.rank === 0 && round % 2 === 1) {
          for (let peer = i32(0); peer < team.nRanks; peer++) session.send(peer, 3 * mine, value);
        } else session.bcast(3 * mine, value);
        session.bcast(3 * mine + 1, vec(u32, 4)(value, value + 1, value + 2, value + 3));
        for (const i of unroll(5)) bytes.store(i, value * (i + 1));
        session.bcast(3 * mine + 2, bytes, 5);
        for (let from = i32(0); from < team.nRanks; from++) {
          const elt = from * blockDim.x + threadIdx.x;
          sum = sum * 7 + session.recv(u32, 3 * elt);
          const four = session.recv(vec(u32, 4), 3 * elt + 1);
          sum = sum * 7 + lane(four, 0) + 2 * lane(four, 1) + 3 * lane(four, 2) + 4 * lane(four, 3);
          session.recvUnrolled(1, 1, 3 * elt + 2, 1, 0, got, 5);
          for (const i of unroll(5)) sum = sum * 3 + got.load(i);
        }
        session.endEpoch(coopCta());
      }
      lsa.localPointer(win, u32, 0).store(blockIdx.x * blockDim.x + threadIdx.x, sum);
    },
  ),
);

/** The expected sum of a thread. `own` is the value that it adds to its numbers. */
function expectedSum(nRanks: number, rounds: number, own: number): number {
  let sum = 0;
  for (const round of count(rounds)) {
    for (const from of count(nRanks)) {
      const value = from * 1000 + round * 100 + own;
      sum = (Math.imul(sum, 7) + value) >>> 0;
      sum = (Math.imul(sum, 7) + 10 * value + 20) >>> 0;
      for (const i of count(5)) sum = (Math.imul(sum, 3) + value * (i + 1)) >>> 0;
    }
  }
  return sum;
}

const requires = { multimem: true, scalars: ['u64'] } as const;

export const multimemBcast: Case<'ll-a2a/multimem/bcast'> = defineCase({
  id: 'll-a2a/multimem/bcast',
  mirrors: 'ncclLLA2ASession(…, multimem, mmHandle)::bcast',
  requires,
  ranks: [1, 2, 4],
  kernels: [exchanges.lsa, exchanges.inner],
  derivesTeam: true,
  run: async ({ run, team: choice }) => {
    await run(async (comm) => {
      const ctas = 2;
      const block = 4;
      const slots = await createMultimemSlots(comm, choice, ctas, (of) => 3 * of.nRanks * block, 20);
      const win = await comm.allocWindow('u32', ctas * block);
      // The epochs continue from one kernel to the next.
      for (const rounds of [1, 4, 3]) {
        await comm.launch(exchanges[choice], { grid: ctas, block }, { ...slots, win, rounds });
        const expected = count(ctas).flatMap((cta) =>
          count(block).map((thread) => expectedSum(slots.team.nRanks, rounds, cta * 50 + thread)),
        );
        expectValues(`rank ${comm.rank} after ${rounds} epochs`, await win.read(), expected);
      }
    });
  },
});

export const multimemUnasked: Case<'ll-a2a/multimem/unasked'> = defineCase({
  id: 'll-a2a/multimem/unasked',
  mirrors: 'ncclLLA2ASession with multimem at the null handle of a communicator without lsaMultimem',
  requires: { ...requires, checks: ['misuse'] },
  ranks: [2],
  kernels: [exchanges.lsa],
  run: async ({ run }) => {
    await run(async (comm) => {
      const { requirement, handleOf } = llA2ACreateRequirement(1, llA2ACalcSlots(3 * comm.lsaSize, 20));
      const dev = await comm.createDevComm({ resourceRequirementsList: [requirement] });
      const [resource] = dev.plan.resources;
      if (resource === undefined) throw new Error('The plan has no resource for its requirement.');
      const win = await comm.allocWindow('u32', 1);
      const slots = { comm: dev, team: comm.teamLsa(), handle: handleOf(resource), mmHandle: dev.lsaMultimem };
      let got = 'no error';
      try {
        await comm.launch(exchanges.lsa, { grid: 1, block: 1 }, { ...slots, win, rounds: 1 });
        await comm.synchronize();
      } catch (thrown) {
        got = isNcclError(thrown) ? thrown.code : String(thrown);
      }
      expectSame('the launch', got, 'NCCLTS_MISUSE');
    });
  },
});
