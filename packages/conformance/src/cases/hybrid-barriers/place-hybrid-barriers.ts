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
import { count } from '../fixture/numbers.ts';

/** Hybrid barriers, as a kernel takes them. */
export interface HybridBarriers {
  readonly comm: DevComm;
  /** Whom the rank reaches by stores, and whom the second stage is over. */
  readonly inner: Team;
  readonly outer: Team;
  readonly innerHandle: LsaBarrierHandle;
  readonly outerHandle: GinBarrierHandle;
  readonly innerMmHandle: MultimemHandle;
}

/** `n` barriers of the device communicator's own. Every rank calls it. */
export async function placeHybridBarriers(
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
 * `n` barriers over the halves of each domain, and over the ranks with the same place in their
 * halves. Every rank calls it.
 */
export async function placeOwnHybridBarriers(comm: Communicator, n: number, multimem = false): Promise<HybridBarriers> {
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
