import { assignedLocals, bodyReads, readLocals, type Body, type LocalId, type State, type StateId } from '@nccl-ts/ir';

/** The locals that a state mentions: in its body, and where it ends. */
export interface StateLocals {
  readonly body: ReadonlySet<LocalId>;
  readonly end: ReadonlySet<LocalId>;
}

export function stateLocals({ body, terminator }: State): StateLocals {
  return {
    body: inBody(body),
    end:
      terminator.kind === 'cut'
        ? inBody([terminator.statement])
        : terminator.kind === 'branch'
          ? readLocals(terminator.condition)
          : new Set(),
  };
}

function inBody(body: Body): ReadonlySet<LocalId> {
  return new Set([...bodyReads(body), ...assignedLocals(body)]);
}

/** By local: the state whose body alone mentions it. Locals that others mention have none. */
export function homesOf(states: readonly StateLocals[]): ReadonlyMap<LocalId, StateId> {
  const homes = new Map<LocalId, StateId>();
  const shared = new Set<LocalId>();
  states.forEach(({ body, end }, state) => {
    for (const id of end) shared.add(id);
    for (const id of body) {
      if (homes.has(id)) shared.add(id);
      else homes.set(id, state);
    }
  });
  for (const id of shared) homes.delete(id);
  return homes;
}
