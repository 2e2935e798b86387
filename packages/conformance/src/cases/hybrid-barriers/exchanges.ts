import { barrier } from '@nccl-ts/barrier';
import type { Communicator } from '@nccl-ts/communicator';
import { at, type MemoryOrder } from '@nccl-ts/core';
import {
  devComm,
  ginBarrierHandle,
  lsaBarrierHandle,
  multimemHandle,
  team,
  teamRankIsMember,
  teamRankToWorld,
  window,
} from '@nccl-ts/devcomm';
import { gin, type GinFence } from '@nccl-ts/gin';
import { kernel, u32 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import {
  createHybridBarriers,
  createMemberHybridBarriers,
  worldRanks,
  type HybridBarriers,
  hybridRequires,
} from './create-hybrid-barriers.ts';

const params = {
  comm: devComm,
  inner: team,
  outer: team,
  innerHandle: lsaBarrierHandle,
  outerHandle: ginBarrierHandle,
  innerMmHandle: multimemHandle,
  far: team,
  inbox: window,
  rounds: u32,
};

interface ExchangeKind {
  readonly TAG: 'world' | 'lsa' | 'rail';
  readonly ORDER: MemoryOrder;
  /** `default` means that the call passes none. */
  readonly FENCE: GinFence | 'default';
  /** True if stores signal ranks of the inner team. */
  readonly STORES: boolean;
  /** True if puts signal ranks of `far`: those that stores do not signal. */
  readonly PUTS: boolean;
  /** True to use the caller's own teams and barriers. */
  readonly OWN: boolean;
  readonly MULTIMEM: boolean;
}

/**
 * In each round every CTA sends its rank and round to the others, synchronizes, and sums the
 * received values. Only the barriers order the rounds, and the one after the sum allows the inboxes
 * to be overwritten.
 */
const exchange = (of: ExchangeKind) =>
  kernel(
    {
      name: `hybrid_${of.TAG}_${of.ORDER}_${of.FENCE}`,
      use: { barrier, gin, lsa, teamRankIsMember, teamRankToWorld, ...of },
      params,
    },
    (
      {
        barrier,
        gin,
        lsa,
        teamRankIsMember,
        teamRankToWorld,
        TAG,
        ORDER,
        FENCE,
        STORES,
        PUTS,
        OWN,
        MULTIMEM,
        coopCta,
        threadIdx,
        blockIdx,
        blockDim,
        i32,
        u32,
      },
      { comm, inner, outer, innerHandle, outerHandle, innerMmHandle, far, inbox, rounds },
    ) => {
      const net = gin.context(comm, 0);
      const options = OWN
        ? MULTIMEM
          ? { innerTeam: inner, outerTeam: outer, innerHandle, outerHandle, multimem: true, innerMmHandle }
          : { innerTeam: inner, outerTeam: outer, innerHandle, outerHandle }
        : MULTIMEM
          ? { multimem: true }
          : {};
      const bar = barrier.session(coopCta(), net, TAG, blockIdx.x, options);
      // For each CTA: an inbox with a word for each rank, and the sum.
      const first = blockIdx.x * (u32(comm.nRanks) + 1);
      const words = lsa.localPointer(inbox, u32, 0);
      let sum = u32(0);
      for (let round = u32(0); round < rounds; round++) {
        const number = u32(comm.rank + 1) * 1000 + round * 10 + blockIdx.x;
        const mine = first + u32(comm.rank);
        if (STORES) {
          for (let i = i32(threadIdx.x); i < inner.nRanks; i += i32(blockDim.x)) {
            lsa.peerPointer(inbox, u32, 0, teamRankToWorld(comm, inner, i)).store(mine, number);
          }
        }
        if (PUTS) {
          for (let i = i32(threadIdx.x); i < far.nRanks; i += i32(blockDim.x)) {
            const isTold = STORES && teamRankIsMember(inner, far, i);
            if (!isTold) net.putValue(far, i, inbox, mine * 4, number);
          }
        }
        if (FENCE === 'default') bar.sync(coopCta(), ORDER);
        else bar.sync(coopCta(), ORDER, FENCE);
        for (let i = u32(0); i < u32(comm.nRanks); i++) sum += words.load(first + i) * (i + 1);
        bar.sync(coopCta(), 'seq_cst', 'none');
      }
      if (threadIdx.x === 0) words.store(first + u32(comm.nRanks), sum);
      // Hybrid barriers come with a connection, which this communicator does not change.
      if (TAG === 'lsa') net.flush(coopCta());
    },
  );

const ctas = 2;
const rounds = 3;

function exchangeCase<const Id extends string>(definition: {
  readonly id: Id;
  readonly mirrors: string;
  readonly of: Partial<ExchangeKind>;
  readonly place?: (comm: Communicator) => Promise<HybridBarriers>;
  /** The target team of puts: the world, or the second stage's team. @default the world */
  readonly toOuter?: true;
  readonly shapes?: { readonly ranks: readonly number[]; readonly lsaSizes: readonly number[] };
}): Case<Id> {
  const { id, mirrors, of: given, place = async (comm) => createHybridBarriers(comm, ctas), toOuter } = definition;
  const of: ExchangeKind = {
    TAG: 'world',
    ORDER: 'seq_cst',
    FENCE: 'put',
    STORES: true,
    PUTS: true,
    OWN: false,
    MULTIMEM: false,
    ...given,
  };
  const one = exchange(of);
  return defineCase({
    id,
    mirrors,
    requires: of.MULTIMEM ? { ...hybridRequires, multimem: true } : hybridRequires,
    ...(definition.shapes ?? { ranks: [1, 4, 8], lsaSizes: [1, 2, 4] }),
    kernels: [one],
    run: async ({ run, shape: { ranks } }) => {
      await run(async (comm) => {
        const barriers = await place(comm);
        const far = toOuter === true ? barriers.outer : comm.teamWorld();
        const inbox = await comm.allocWindow('u32', ctas * (ranks + 1));
        const near = of.STORES ? worldRanks(comm, barriers.inner) : [];
        const tellers = new Set([...near, ...(of.PUTS ? worldRanks(comm, far) : [])]);
        const reported = (cta: number, round: number): number =>
          [...tellers].reduce((sum, from) => sum + ((from + 1) * 1000 + round * 10 + cta) * (from + 1), 0);
        // Twice, because the barriers continue from their saved epochs.
        for (const _ of count(2)) {
          await comm.launch(one, { grid: ctas, block: 32 }, { ...barriers, far, inbox, rounds });
          const words = await inbox.read();
          const sums = count(ctas).map((cta) => at(words, cta * (ranks + 1) + ranks));
          const expected = count(ctas).map((cta) =>
            count(rounds).reduce((sum, round) => sum + reported(cta, round), 0),
          );
          expectValues(`sums of rank ${comm.rank}`, sums, expected);
          await meet(comm);
        }
      });
    },
  });
}

export const worldPut: Case<'hybrid-barriers/world/fence-put'> = exchangeCase({
  id: 'hybrid-barriers/world/fence-put',
  mirrors: 'ncclBarrierSession(coop, ncclTeamTagWorld, gin, index) and ::sync with ncclGinFenceLevel::Put',
  of: { ORDER: 'acq_rel' },
});
export const worldDefault: Case<'hybrid-barriers/world/fence-default'> = exchangeCase({
  id: 'hybrid-barriers/world/fence-default',
  mirrors: 'ncclBarrierSession::sync, whose fence is Put | Get by default',
  of: { ORDER: 'acq_rel', FENCE: 'default' },
});
export const worldNone: Case<'hybrid-barriers/world/fence-none'> = exchangeCase({
  id: 'hybrid-barriers/world/fence-none',
  mirrors: 'ncclBarrierSession::sync with ncclGinFenceLevel::None: the domain, then the rail',
  of: { FENCE: 'none', PUTS: false },
});
export const railConnection: Case<'hybrid-barriers/world/rail-connection'> = exchangeCase({
  id: 'hybrid-barriers/world/rail-connection',
  mirrors:
    'ncclBarrierSession of the world with NCCL_GIN_CONNECTION_RAIL: the domain, then the rail, with a fence of puts',
  of: { FENCE: 'putGet' },
  place: async (comm) => createHybridBarriers(comm, ctas, { ginConnectionType: 'rail' }),
  toOuter: true,
});
export const lsaTag: Case<'hybrid-barriers/lsa'> = exchangeCase({
  id: 'hybrid-barriers/lsa',
  mirrors: 'ncclBarrierSession(coop, ncclTeamTagLsa, devComm, index)',
  of: { TAG: 'lsa', ORDER: 'acq_rel', FENCE: 'default', PUTS: false },
});
export const railTag: Case<'hybrid-barriers/rail'> = exchangeCase({
  id: 'hybrid-barriers/rail',
  mirrors: 'ncclBarrierSession(coop, ncclTeamTagRail, gin, index)',
  of: { TAG: 'rail', ORDER: 'acq_rel', FENCE: 'default', STORES: false },
  toOuter: true,
});
const halves = { ranks: [4, 8], lsaSizes: [2, 4] };
export const ownTeams: Case<'hybrid-barriers/own-teams'> = exchangeCase({
  id: 'hybrid-barriers/own-teams',
  mirrors: 'ncclBarrierSession(coop, innerTeam, outerTeam, gin, innerHandle, outerHandle, index)',
  of: { OWN: true },
  place: async (comm) => createMemberHybridBarriers(comm, ctas),
  toOuter: true,
  shapes: halves,
});
export const multimem: Case<'hybrid-barriers/multimem'> = exchangeCase({
  id: 'hybrid-barriers/multimem',
  mirrors: 'ncclBarrierSession(coop, ncclTeamTagWorld, gin, index, multimem)',
  of: { FENCE: 'none', PUTS: false, MULTIMEM: true },
  place: async (comm) => createHybridBarriers(comm, ctas, { ginConnectionType: 'full', lsaMultimem: true }),
});
export const multimemOwnTeams: Case<'hybrid-barriers/multimem-own-teams'> = exchangeCase({
  id: 'hybrid-barriers/multimem-own-teams',
  mirrors: 'ncclBarrierSession of teams of its own with multimem and innerMmHandle',
  of: { OWN: true, MULTIMEM: true },
  place: async (comm) => createMemberHybridBarriers(comm, ctas, true),
  toOuter: true,
  shapes: halves,
});
