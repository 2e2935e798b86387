import { collectiveShapes } from '@nccl-ts/core';
import type { Communicator } from '@nccl-ts/communicator';
import { definitionSite } from '@nccl-ts/kernel';
import { checkedCall, type CollectiveRequest } from '../call.ts';
import { isLaunched, launchAgain, launchCollectives } from './launch-collectives.ts';
import { CollectiveLedger } from './collective-ledger.ts';
import { holdBack, isGrouped, type PlannedCall } from './open-group.ts';
import { keepCall, repeatedCall } from './repeated-calls.ts';
import { selectedAlgorithm } from './selected-algorithm.ts';

/**
 * Checks, selects and launches a collective. `caller` is the public function, whose caller made the
 * call.
 */
export async function runCollective(
  comm: Communicator,
  request: CollectiveRequest,
  caller: { readonly name: string },
): Promise<void> {
  const again = isGrouped(comm) ? undefined : repeatedCall(comm, request);
  if (again !== undefined) {
    await launchAgain(comm, again.planned, again);
    return;
  }
  const call = checkedCall(comm, request);
  // An impossible call fails here, at its call site.
  const selected = call.count === 0 ? undefined : selectedAlgorithm(call);
  const { name, element, count, op, root } = call;
  const planned: PlannedCall = {
    kind: 'collective',
    call,
    selected,
    note: {
      name,
      element,
      count,
      op: op?.name,
      root: collectiveShapes[name].rooted ? root : undefined,
      selection: selected?.selection,
      site: comm.companion(CollectiveLedger).wantsSites ? definitionSite(caller) : undefined,
    },
  };
  if (holdBack(comm, planned)) return;
  await launchCollectives(comm, [planned]);
  // Each call has its own call site.
  if (isLaunched(planned) && planned.note.site === undefined) keepCall(comm, request, planned);
}
