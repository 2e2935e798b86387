import type { Communicator } from '@nccl-ts/communicator';
import { NcclError, reading } from '@nccl-ts/core';
import { definitionSite } from '@nccl-ts/kernel';
import { noOptions, type CollectiveOptions } from '../call.ts';
import { CollectiveLedger } from '../impl/collective-ledger.ts';
import { launchCollectives } from '../impl/launch-collectives.ts';
import { isGrouped } from '../impl/open-group.ts';
import { preparedCall } from '../impl/prepared-call.ts';
import type { CollectiveQuery } from '../selection/query-on.ts';
import { selectedAlgorithm, type SelectionRequest } from '../impl/selected-algorithm.ts';
import type { Selection } from '../selection/selection.ts';
import { collectiveState, NOWHERE_BYTES, withName } from '../state/collective-state.ts';
import { oncePerCommunicator } from '../state/once-per-communicator.ts';

/**
 * Does now what the first call of a collective would do: creates the communicator's state,
 * allocates the algorithm's scratch memory, compiles the kernel, and loads it on every rank's GPU.
 * For this it launches the selected kernel once, for one element of its own memory, and waits for
 * it. It changes no buffer of the program.
 *
 * Afterwards a call of the same collective, with the same type, operator, count and options,
 * allocates and compiles nothing. This also holds for another count, if the same algorithm is
 * selected for it, and either both counts or neither need 64-bit indices, which begin at 2^31
 * elements of all ranks together. If `count` is 0, there is nothing to prepare.
 *
 * It prepares neither the launches that calls of a group share, which have another kernel, nor
 * calls for which a later `setSelection` selects another algorithm.
 *
 * All ranks must call it at the same point between their collectives, with the same query and
 * options. `stream` is the stream of the launch. A repeated call makes one more launch, and
 * allocates and compiles nothing.
 *
 * @returns the algorithm and the launch that the prepared call uses.
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the query or an option is wrong;
 *   `NCCL_INVALID_USAGE` in a group, while a graph captures the stream, if the requested algorithm
 *   does not support the call, or if another rank makes a different call; `NCCLTS_NOT_SUPPORTED` if
 *   no rule fits; `NCCLTS_DEADLOCK` if a rank never makes the call; the errors of
 *   `Communicator.createDevComm`, `Communicator.launch` and `Communicator.synchronize`.
 */
export async function prepareCollective(
  comm: Communicator,
  query: CollectiveQuery,
  options: CollectiveOptions = noOptions,
): Promise<Selection> {
  const call = reading('prepareCollective', () => preparedCall(comm, query, options));
  checkStream(call);
  const selected = selectedAlgorithm(call);
  const { name, element, count, op } = call;
  const ledger = comm.companion(CollectiveLedger);
  const note = {
    name: `prepareCollective of ${name}`,
    element,
    count,
    op: op?.name,
    root: undefined,
    selection: count === 0 ? undefined : selected.selection,
    site: ledger.wantsSites ? definitionSite(prepareCollective) : undefined,
  } as const;
  if (count === 0) {
    ledger.note(comm.rank, [note]);
    return selected.selection;
  }
  const label = `prepareCollective of ${name} of ${count} ${element}`;
  await withName(
    () => `${label}: all ranks must call it.`,
    async () => {
      const nowhere = await writtenNowhere(comm);
      const send = nowhere.cast(element);
      const recv = nowhere.window.symPtr(comm.nRanks * NOWHERE_BYTES, element);
      const one = { ...call, send, recv, count: 1, root: 0, inPlace: false };
      await launchCollectives(comm, [{ kind: 'collective', call: one, selected, note, label }]);
    },
  );
  await comm.synchronize(call.options.stream);
  return selected.selection;
}

/** The memory whose content nobody uses. It is written once, since a check reports other reads. */
const writtenNowhere = /* @__PURE__ */ oncePerCommunicator(async (comm) => {
  const { nowhere } = await collectiveState(comm);
  await nowhere.window.write(new Uint8Array(nowhere.window.bytes));
  return nowhere;
});

/** @throws NcclError `NCCL_INVALID_USAGE` where a launch is not made at once. */
function checkStream({ comm, options: { stream = comm.defaultStream } }: SelectionRequest): void {
  const cannot = isGrouped(comm)
    ? 'in a group because it waits for a launch; call it before'
    : stream.isCapturing
      ? 'while a graph captures the stream because it waits for a launch; call it before'
      : undefined;
  if (cannot !== undefined) throw new NcclError('NCCL_INVALID_USAGE', `prepareCollective: cannot run ${cannot}.`);
}
