import type { Communicator } from '@nccl-ts/communicator';
import { collectiveShapes, NcclError } from '@nccl-ts/core';
import type { AlgorithmKernels } from '../algorithms/algorithm-spec.ts';
import type { CollectiveCall, CollectiveOptions } from '../call.ts';
import { algorithmSpecs } from '../algorithms/algorithm.ts';
import { backendShape } from '../backend-shape.ts';
import { KernelTable } from '../algorithms/kernel-table.ts';
import { defaultSelection } from '../selection/default-selection.ts';
import type { Selection } from '../selection/selection.ts';
import type { SelectionQuery, SelectionRule } from '../selection/selection-rule.ts';
import { queryOn } from '../selection/query-on.ts';
import { selectPossible } from '../selection/select-possible.ts';
import { shapeOn } from '../state/shape-on.ts';

/** How a call is run: its algorithm, kernels and launch. */
export interface SelectedAlgorithm {
  readonly selection: Selection;
  readonly kernels: AlgorithmKernels;
}

/** The part of a call that decides its algorithm. */
export type SelectionRequest = Pick<
  CollectiveCall,
  'name' | 'comm' | 'element' | 'count' | 'op' | 'inPlace' | 'options'
>;

/** The rules of a communicator, and the algorithms that were selected by them. */
interface Choices {
  readonly rules: readonly SelectionRule[];
  readonly selected: Map<string, SelectedAlgorithm>;
}

/** The limit of counts for kernels with 32-bit indices, with room to spare. */
const NARROW = 2 ** 31;

/**
 * The number of selections that are cached for a communicator. A program with more kinds of calls
 * rarely repeats one.
 */
const MOST_SELECTIONS = 4096;

/** The table is shared by all worlds, since a kernel belongs to none. */
export const kernelTable: KernelTable = /* @__PURE__ */ new KernelTable();

const choices = new WeakMap<Communicator, Choices>();

export function selectionOf(comm: Communicator): readonly SelectionRule[] {
  return choices.get(comm)?.rules ?? defaultSelection;
}

export function keepSelection(comm: Communicator, rules: readonly SelectionRule[]): void {
  choices.set(comm, { rules: Object.freeze([...rules]), selected: new Map() });
}

/**
 * Returns the way of a call. Equal calls share one: the rules are applied only for the first,
 * because that takes longer than a launch.
 *
 * @throws NcclError `NCCL_INVALID_USAGE` if the requested algorithm cannot do the call.
 */
export function selectedAlgorithm(call: SelectionRequest): SelectedAlgorithm {
  const { name, comm, element, count, op, inPlace, options } = call;
  let known = choices.get(comm);
  if (known === undefined) {
    known = { rules: defaultSelection, selected: new Map() };
    choices.set(comm, known);
  }
  const { rules, selected: cached } = known;
  const { algorithm, forceAlgorithm, minCtas, maxCtas } = options;
  const by = `${algorithm ?? ''} ${forceAlgorithm ?? true} ${minCtas ?? ''} ${maxCtas ?? ''}`;
  const key = `${name} ${element} ${count} ${op?.name} ${inPlace} ${by}`;
  let selected = cached.get(key);
  if (selected === undefined) {
    selected = chosen(call, rules);
    if (cached.size >= MOST_SELECTIONS) cached.clear();
    cached.set(key, selected);
  }
  return selected;
}

/**
 * The selection, with the number of CTAs that the call requests.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the algorithm has no room for that many.
 */
function withCtas(selection: Selection, query: SelectionQuery, { minCtas, maxCtas }: CollectiveOptions): Selection {
  if (minCtas === undefined && maxCtas === undefined) return selection;
  const { algorithm } = selection;
  const room = algorithmSpecs[algorithm].room(backendShape(query)).ctas;
  if (minCtas !== undefined && minCtas > room) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${query.collective}: minCtas must be at most ${room}, the most CTAs that ${algorithm} can have here; given ${minCtas}.`,
    );
  }
  const ctas = Math.min(Math.max(selection.ctas, minCtas ?? 1), maxCtas ?? room);
  return { ...selection, ctas, because: `${selection.because}; ${ctas} CTAs by the call's options` };
}

function chosen(
  { name, comm, element, count, op, inPlace, options }: SelectionRequest,
  rules: Choices['rules'],
): SelectedAlgorithm {
  const query = queryOn(comm, { collective: name, element, count, op: op?.name });
  const automatic = selectPossible({ ...query, inPlace }, rules, options.algorithm, options.forceAlgorithm);
  const selection = withCtas(automatic, query, options);
  const { send, recv } = collectiveShapes[name];
  const times = send === 'each' || recv === 'each' ? comm.nRanks : 1;
  const kernels = kernelTable.get({
    collective: name,
    algorithm: selection.algorithm,
    element,
    op: op?.name,
    wide: count * times >= NARROW,
    lsaSize: comm.lsaSize,
    shape: shapeOn(comm),
  });
  return { selection, kernels };
}
