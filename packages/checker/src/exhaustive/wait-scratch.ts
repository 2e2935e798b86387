import {
  assignedLocals,
  bodyReads,
  statementReads,
  statementTarget,
  walkBody,
  type LocalId,
  type Module,
  type Statement,
  type WaitAllStatement,
  type WaitStatement,
} from '@nccl-ts/ir';

const known = new WeakMap<WaitStatement | WaitAllStatement, ReadonlySet<LocalId>>();

/**
 * Returns the locals that only the wait uses. The wait sets them before it reads them, and no other
 * code reads them.
 */
export function waitScratch(module: Module, wait: WaitStatement | WaitAllStatement): ReadonlySet<LocalId> {
  const found = known.get(wait) ?? scratchOf(module, wait);
  known.set(wait, found);
  return found;
}

function scratchOf(module: Module, wait: WaitStatement | WaitAllStatement): ReadonlySet<LocalId> {
  const scratch = new Set(assignedLocals(wait.body));
  const leave = (reads: Iterable<LocalId>): void => {
    for (const local of reads) scratch.delete(local);
  };
  walkBody(module.body, {
    statement: (statement: Statement) => {
      if (statement === wait) return false;
      leave(statementReads(statement));
      return true;
    },
  });
  // The locals that a wait always sets, in order.
  const set = new Set<LocalId>();
  for (const statement of wait.body) {
    leave([...bodyReads([statement])].filter((local) => !set.has(local)));
    const target = statementTarget(statement);
    if (target !== undefined) set.add(target);
  }
  leave([...statementReads(wait)].filter((local) => !set.has(local)));
  return scratch;
}
