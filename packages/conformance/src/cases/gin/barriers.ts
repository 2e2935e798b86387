import { at } from '@nccl-ts/core';
import type { Communicator, DevComm } from '@nccl-ts/communicator';
import {
  devComm,
  ginBarrierCreateRequirement,
  ginBarrierHandle,
  team,
  window,
  type GinBarrierHandle,
} from '@nccl-ts/devcomm';
import { gin, type GinFence } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { teamInnerFactor, teamOuterFactor, type Team } from '@nccl-ts/topology';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { connect, ginRequires } from './connect.ts';

const params = { comm: devComm, of: team, handle: ginBarrierHandle, inbox: window, got: window, rounds: u32 };

/** The ranks, and the barriers between them. */
type Over = 'world' | 'rail' | 'own';

/**
 * In each round every CTA puts a number into each member's inbox, gets one from the next member's,
 * and sums the received numbers. It uses the contexts in turn. Only the barriers order the rounds,
 * and the previous one allows the inboxes to be overwritten.
 */
const exchange = (OVER: Over, FENCE: GinFence | 'default', EVERYWHERE: boolean) =>
  kernel(
    {
      name: `exchange_${OVER}_${FENCE}${EVERYWHERE ? '_everywhere' : ''}`,
      use: { gin, lsa, OVER, FENCE, EVERYWHERE },
      params,
    },
    (
      { gin, lsa, OVER, FENCE, EVERYWHERE, coopCta, threadIdx, blockIdx, i32, u32 },
      { comm, of, handle, inbox, got, rounds },
    ) => {
      const net = gin.context(comm, 0);
      const options =
        OVER === 'own'
          ? EVERYWHERE
            ? { team: of, handle, allContexts: true }
            : { team: of, handle }
          : EVERYWHERE
            ? { allContexts: true }
            : {};
      const bar = gin.barrierSession(coopCta(), net, OVER === 'rail' ? 'rail' : 'world', blockIdx.x, options);
      const members = u32(of.nRanks);
      const next = (of.rank + 1) % of.nRanks;
      // For each CTA: an inbox with a word for each member, a word that others get, and the sum.
      const first = blockIdx.x * (members + 2);
      const words = lsa.localPointer(inbox, u32, 0);
      let sum = u32(0);
      for (let round = u32(0); round < rounds; round++) {
        if (threadIdx.x === 0) words.store(first + members, u32(comm.rank) * 7 + round);
        bar.sync(coopCta(), 'acq_rel', 'none');
        if (threadIdx.x < members) {
          const on = EVERYWHERE ? gin.context(comm, threadIdx.x % comm.ginContextCount) : net;
          const number = u32(comm.rank + 1) * 1000 + round * 10 + blockIdx.x;
          on.putValue(of, i32(threadIdx.x), inbox, (first + u32(of.rank)) * 4, number);
        }
        if (threadIdx.x === 0) {
          const on = EVERYWHERE ? gin.context(comm, comm.ginContextCount - 1) : net;
          on.get(of, next, inbox, (first + members) * 4, got, blockIdx.x * 4, 4);
        }
        if (FENCE === 'default') bar.sync(coopCta(), 'acq_rel');
        else {
          bar.sync(coopCta(), 'acq_rel', FENCE);
          // The author of the kernel must order the operations that the fence omits.
          if (FENCE === 'put') net.flush(coopCta());
        }
        for (let i = u32(0); i < members; i++) sum += words.load(first + i) * (i + 1);
        sum += lsa.localPointer(got, u32, 0).load(blockIdx.x);
        bar.sync(coopCta(), 'acq_rel', 'none');
      }
      if (threadIdx.x === 0) words.store(first + members + 1, sum);
    },
  );

interface Barriers {
  readonly comm: DevComm;
  readonly of: Team;
  readonly handle: GinBarrierHandle;
}

/** Creates two barriers over those ranks. Every rank calls it. */
async function createGinBarriers(comm: Communicator, over: Over, outer: boolean): Promise<Barriers> {
  const world = comm.teamWorld();
  if (over === 'world') {
    const dev = await connect(comm, { worldGinBarrierCount: 2, ginSignalCount: 3 });
    return { comm: dev, of: world, handle: dev.plan.worldGinBarrier };
  }
  if (over === 'rail') {
    const dev = await comm.createDevComm({ ginConnectionType: 'rail', railGinBarrierCount: 2 });
    return { comm: dev, of: comm.teamRail(), handle: dev.plan.railGinBarrier };
  }
  const half = world.nRanks / 2;
  const of = outer ? teamOuterFactor(world, 2) : teamInnerFactor(world, half);
  const { requirement, handleOf } = ginBarrierCreateRequirement(of, 2);
  const dev = await connect(comm, { ginSignalCount: 1, resourceRequirementsList: [requirement] });
  const [resource] = dev.plan.resources;
  if (resource === undefined) throw new Error('The plan has no resource for its requirement.');
  return { comm: dev, of, handle: handleOf(resource) };
}

function barrierCase<const Id extends string>(definition: {
  readonly id: Id;
  readonly mirrors: string;
  readonly over: Over;
  readonly fence?: GinFence;
  readonly everywhere?: boolean;
}): Case<Id> {
  const { id, mirrors, over, fence = 'default', everywhere = false } = definition;
  const one = exchange(over, fence, everywhere);
  const ctas = 2;
  const rounds = 3;
  return defineCase({
    id,
    mirrors,
    requires: ginRequires,
    ranks: over === 'own' ? [2, 6] : [1, 4],
    lsaSizes: [1, 2],
    kernels: [one],
    run: async ({ run }) => {
      await run(async (comm) => {
        for (const outer of over === 'own' ? [false, true] : [false]) {
          const barriers = await createGinBarriers(comm, over, outer);
          const { nRanks, rank, stride } = barriers.of;
          const members = count(nRanks).map((i) => comm.rank + (i - rank) * stride);
          const inbox = await comm.allocWindow('u32', ctas * (nRanks + 2));
          const got = await comm.allocWindow('u32', ctas);
          // Twice, because the barriers continue from their saved epochs.
          for (const _ of count(2)) {
            await comm.launch(one, { grid: ctas, block: 32 }, { ...barriers, inbox, got, rounds });
            await meet(comm);
            const next = at(members, (rank + 1) % nRanks);
            const sums = count(ctas).map((cta) =>
              count(rounds)
                .map((round) => {
                  const put = members.map((from, i) => ((from + 1) * 1000 + round * 10 + cta) * (i + 1));
                  return put.reduce((a, b) => a + b) + next * 7 + round;
                })
                .reduce((a, b) => a + b),
            );
            const words = await inbox.read();
            const found = count(ctas).map((cta) => at(words, cta * (nRanks + 2) + nRanks + 1));
            expectValues(`sums of rank ${comm.rank}`, found, sums);
            await meet(comm);
          }
        }
      });
    },
  });
}

export const world: Case<'gin/barriers/world'> = barrierCase({
  id: 'gin/barriers/world',
  mirrors: 'ncclGinBarrierSession(coop, gin, ncclTeamTagWorld, index) and ::sync, whose fence is Put | Get by default',
  over: 'world',
});
export const rail: Case<'gin/barriers/rail'> = barrierCase({
  id: 'gin/barriers/rail',
  mirrors: 'ncclGinBarrierSession(coop, gin, ncclTeamTagRail, index)',
  over: 'rail',
});
export const ownTeam: Case<'gin/barriers/own-team'> = barrierCase({
  id: 'gin/barriers/own-team',
  mirrors: 'ncclGinBarrierSession(coop, gin, team, handle, index); ncclGinBarrierCreateRequirement',
  over: 'own',
});
export const put: Case<'gin/barriers/fence-put'> = barrierCase({
  id: 'gin/barriers/fence-put',
  mirrors: 'ncclGinFenceLevel::Put',
  over: 'world',
  fence: 'put',
});
export const putGet: Case<'gin/barriers/fence-put-get'> = barrierCase({
  id: 'gin/barriers/fence-put-get',
  mirrors: 'ncclGinFenceLevel::Put | ncclGinFenceLevel::Get',
  over: 'rail',
  fence: 'putGet',
});
export const allContexts: Case<'gin/barriers/all-contexts'> = barrierCase({
  id: 'gin/barriers/all-contexts',
  mirrors: 'ncclGinAllContexts',
  over: 'world',
  everywhere: true,
});
export const allContextsOwnTeam: Case<'gin/barriers/all-contexts-own-team'> = barrierCase({
  id: 'gin/barriers/all-contexts-own-team',
  mirrors: 'ncclGinAllContexts, with a team and a handle',
  over: 'own',
  everywhere: true,
});
