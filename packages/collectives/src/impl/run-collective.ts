import type { Communicator } from '@nccl-ts/communicator';
import { checkedCall, type CollectiveCall, type CollectiveRequest } from '../call.ts';
import type { Selection } from '../selection.ts';
import { selectionOf } from './collective-state.ts';
import { queryOn } from './query-on.ts';
import { launchCollectives } from './launch-collectives.ts';
import { holdBack } from './open-group.ts';
import { selectPossible } from './select-possible.ts';

/** Checks, chooses and launches a collective. */
export async function runCollective(comm: Communicator, request: CollectiveRequest): Promise<void> {
  const call = checkedCall(comm, request);
  if (call === undefined) return;
  // Whether it can be done is told now, where it was asked for.
  const selection = selectionFor(call);
  const planned = { kind: 'collective', call, selection } as const;
  if (!holdBack(comm, planned)) await launchCollectives(comm, [planned]);
}

/** @throws NcclError `NCCL_INVALID_USAGE` where the algorithm that the call asks for cannot do it. */
function selectionFor({ name, comm, element, count, op, inPlace, options }: CollectiveCall): Selection {
  const query = queryOn(comm, { collective: name, element, count, op: op?.name });
  return selectPossible({ ...query, inPlace }, selectionOf(comm), options.algorithm);
}
