import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { lsaBarrierCreateRequirement, type LsaBarrierHandle } from '@nccl-ts/devcomm';
import { teamInnerFactor, type Team } from '@nccl-ts/topology';
import type { TeamChoice } from '../../case.ts';

/** Barriers over a team, as arguments of a kernel. */
export interface Barriers {
  readonly comm: DevComm;
  readonly team: Team;
  readonly handle: LsaBarrierHandle;
}

/** The world ranks of the team's members, in its order. */
export function membersOf(barriers: Barriers): readonly number[] {
  const { team, comm } = barriers;
  return Array.from({ length: team.nRanks }, (_, i) => comm.rank + (i - team.rank) * team.stride);
}

/**
 * Creates `count` barriers, with `bytes` of resource memory after them. They are those of the
 * device communicator over the load-store domain, or separate ones of the halves. Every rank calls
 * it.
 */
export async function createBarriers(comm: Communicator, choice: TeamChoice, count: number): Promise<Barriers> {
  const domain = comm.teamLsa();
  if (choice === 'lsa') {
    const devComm = await comm.createDevComm({ lsaBarrierCount: count });
    return { comm: devComm, team: domain, handle: devComm.plan.lsaBarrier };
  }
  return createTeamBarriers(comm, teamInnerFactor(domain, domain.nRanks / 2), count);
}

/** Creates `count` barriers over the caller's own team. */
export async function createTeamBarriers(comm: Communicator, team: Team, count: number): Promise<Barriers> {
  const { requirement, handleOf } = lsaBarrierCreateRequirement(team, count);
  const devComm = await comm.createDevComm({ resourceRequirementsList: [requirement] });
  const [resource] = devComm.plan.resources;
  if (resource === undefined) throw new Error('The plan has no resource for its requirement.');
  return { comm: devComm, team, handle: handleOf(resource) };
}

/**
 * Makes a kernel for each choice. If `own`, it passes team and handle. Otherwise the session uses
 * its defaults.
 */
export interface KernelPair<K> {
  readonly lsa: K;
  readonly inner: K;
}

export function kernelPair<K>(make: (own: boolean) => K): KernelPair<K> {
  return Object.freeze({ lsa: make(false), inner: make(true) });
}
