import type { Communicator } from '@nccl-ts/communicator';
import { checkedCall, type CollectiveRequest } from '../call.ts';
import { launchCollectives } from './launch-collectives.ts';
import { holdBack } from './open-group.ts';
import { wayOf } from './ways.ts';

/** Checks, chooses and launches a collective. */
export async function runCollective(comm: Communicator, request: CollectiveRequest): Promise<void> {
  const call = checkedCall(comm, request);
  if (call === undefined) return;
  // Whether it can be done is told now, where it was asked for.
  const planned = { kind: 'collective', call, way: wayOf(call) } as const;
  if (!holdBack(comm, planned)) await launchCollectives(comm, [planned]);
}
