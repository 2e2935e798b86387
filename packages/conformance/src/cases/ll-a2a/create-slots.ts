import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { llA2ACalcSlots, llA2ACreateRequirement, type LLA2AHandle } from '@nccl-ts/devcomm';
import { teamInnerFactor, type Team } from '@nccl-ts/topology';
import type { TeamChoice } from '../../case.ts';

/** All-to-all slots over a team, as arguments of a kernel. */
export interface AllToAllSlots {
  readonly comm: DevComm;
  readonly team: Team;
  readonly handle: LLA2AHandle;
}

/**
 * Creates the slots of `blocks` sessions, for `eltsOf(team)` values of `bytes` bytes each. They are
 * over the load-store domain, or over the half that contains the rank. Every rank calls it.
 */
export async function createSlots(
  comm: Communicator,
  choice: TeamChoice,
  blocks: number,
  eltsOf: (team: Team) => number,
  bytes = 8,
): Promise<AllToAllSlots> {
  const domain = comm.teamLsa();
  const team = choice === 'lsa' ? domain : teamInnerFactor(domain, domain.nRanks / 2);
  const { requirement, handleOf } = llA2ACreateRequirement(blocks, llA2ACalcSlots(eltsOf(team), bytes));
  const devComm = await comm.createDevComm({ resourceRequirementsList: [requirement] });
  const [resource] = devComm.plan.resources;
  if (resource === undefined) throw new Error('The plan has no resource for its requirement.');
  return { comm: devComm, team, handle: handleOf(resource) };
}
