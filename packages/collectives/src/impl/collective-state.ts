import type { Communicator, DevComm } from '@nccl-ts/communicator';
import { KernelTable } from '../kernels/kernel-table.ts';
import { defaultSelection, MAX_CTAS, type SelectionRule } from '../selection.ts';

/** What the collectives of one rank have made for themselves; the communicator owns and closes it. */
export interface CollectiveState {
  readonly devComm: DevComm;
}

const states = new WeakMap<Communicator, Promise<CollectiveState>>();
const selections = new WeakMap<Communicator, readonly SelectionRule[]>();

/** One for all worlds, since kernels belong to none. */
export const kernelTable: KernelTable = /* @__PURE__ */ new KernelTable();

/** The communicator's state; made, by all ranks together, when it is first asked for. */
export async function collectiveState(comm: Communicator): Promise<CollectiveState> {
  let state = states.get(comm);
  if (state === undefined) {
    state = comm.createDevComm({ lsaBarrierCount: MAX_CTAS }).then((devComm) => ({ devComm }));
    states.set(comm, state);
    // What could not be made may be asked for again.
    state.catch(() => states.delete(comm));
  }
  return state;
}

export function selectionOf(comm: Communicator): readonly SelectionRule[] {
  return selections.get(comm) ?? defaultSelection;
}

export function keepSelection(comm: Communicator, rules: readonly SelectionRule[]): void {
  selections.set(comm, Object.freeze([...rules]));
}
