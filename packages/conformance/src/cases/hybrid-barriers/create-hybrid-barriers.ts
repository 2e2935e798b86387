import type { Communicator, DevComm } from '@nccl-ts/communicator';
import {
  ginBarrierCreateRequirement,
  lsaBarrierCreateRequirement,
  type DevCommRequirements,
  type GinBarrierHandle,
  type LsaBarrierHandle,
  type MultimemHandle,
} from '@nccl-ts/devcomm';
import { teamInnerFactor, teamOuterFactor, type Team } from '@nccl-ts/topology';
import type { Requirements } from '../../requirements.ts';
import { count } from '../fixture/numbers.ts';
import { ginRequires } from '../gin/connect.ts';

/** The barriers of the device communicator, of all tags. Those of `lsa` and `rail` are older. */
export const hybridRequires: Requirements = { ...ginRequires, ncclVersion: 23007 };

/** Hybrid barriers, as arguments of a kernel. */
export interface HybridBarriers {
  readonly comm: DevComm;
  /** The ranks that stores reach, and the ranks of the second stage. */
  readonly inner: Team;
  readonly outer: Team;
  readonly innerHandle: LsaBarrierHandle;
  readonly outerHandle: GinBarrierHandle;
  readonly innerMmHandle: MultimemHandle;
}

/** Creates `n` barriers of the device communicator. Every rank calls it. */
export async function createHybridBarriers(
  comm: Communicator,
  n: number,
  asks: DevCommRequirements = { ginConnectionType: 'full' },
): Promise<HybridBarriers> {
  const dev = await comm.createDevComm({ barrierCount: n, ...asks });
  return {
    comm: dev,
    inner: comm.teamLsa(),
    outer: comm.teamRail(),
    innerHandle: dev.plan.hybridLsaBarrier,
    outerHandle: dev.plan.hybridRailGinBarrier,
    innerMmHandle: dev.lsaMultimem,
  };
}

/**
 * Creates `n` barriers over the halves of each domain, and over the ranks with the same index in
 * their halves. Every rank calls it.
 */
export async function createMemberHybridBarriers(
  comm: Communicator,
  n: number,
  multimem = false,
): Promise<HybridBarriers> {
  const domain = comm.teamLsa();
  const half = domain.nRanks / 2;
  const inner = teamInnerFactor(domain, half);
  const outer = teamOuterFactor(comm.teamWorld(), half);
  const near = lsaBarrierCreateRequirement(inner, n);
  const far = ginBarrierCreateRequirement(outer, n);
  const dev = await comm.createDevComm({
    ginConnectionType: 'full',
    resourceRequirementsList: [near.requirement, far.requirement],
    teamRequirementsList: multimem ? [{ team: inner, multimem }] : [],
  });
  const [nearResource, farResource] = dev.plan.resources;
  if (nearResource === undefined || farResource === undefined)
    throw new Error('The plan lacks the required resources.');
  return {
    comm: dev,
    inner,
    outer,
    innerHandle: near.handleOf(nearResource),
    outerHandle: far.handleOf(farResource),
    innerMmHandle: dev.multimemHandles[0] ?? dev.lsaMultimem,
  };
}

/** The world ranks of a team's members, in its order. */
export function worldRanks(comm: Communicator, { nRanks, rank, stride }: Team): readonly number[] {
  return count(nRanks).map((i) => comm.rank + (i - rank) * stride);
}
