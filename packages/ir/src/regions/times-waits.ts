import type { LocalId } from '../expression.ts';
import type { Module } from '../module.ts';
import type { Body, Statement } from '../statement.ts';
import { readLocals, statementReads } from '../visit/locals.ts';
import { statementBodies, statementTarget } from '../visit/children.ts';

/**
 * True if the clock only decides when waits time out. No other code may depend on it, except
 * through the outcome of a wait.
 */
export function timesWaitsOnly(module: Module): boolean {
  const timed = new Set<LocalId>();
  for (;;) {
    const before = timed.size;
    if (!onlyTimes(module.body, timed, 'outside')) return false;
    if (timed.size === before) return true;
  }
}

/**
 * The position of a body. Inside a branch on the clock, all locals that the body sets depend on the
 * clock.
 */
type BodyPosition = 'outside' | 'wait' | 'late';

/** Adds to `timed` the locals that depend on the clock. True if the body has no other effect. */
function onlyTimes(body: Body, timed: Set<LocalId>, position: BodyPosition): boolean {
  return body.every((s) => {
    const isTimed = [...readsOf(s)].some((id) => timed.has(id));
    if (isTimed && s.kind !== 'assign' && (position === 'outside' || !mayBeTimed(s))) return false;
    // Array contents are not tracked.
    if (s.kind === 'store' && position === 'late') return false;
    const target = statementTarget(s);
    if (target !== undefined && (isTimed || position === 'late' || s.kind === 'clock')) timed.add(target);
    const inner = s.kind === 'wait' || s.kind === 'waitAll' ? 'wait' : isTimed ? 'late' : position;
    return statementBodies(s).every((one) => onlyTimes(one, timed, inner));
  });
}

/**
 * True if a statement of a wait may depend on the clock. A look that loads another word, or through
 * another pointer, has no effect but its result, which counts as timed.
 */
function mayBeTimed({ kind }: Statement): boolean {
  return kind === 'if' || kind === 'load';
}

/**
 * The locals that a statement reads, except those of a wait's condition and those that a call only
 * names.
 */
function readsOf(s: Statement): ReadonlySet<LocalId> {
  if (s.kind === 'wait') return new Set();
  if (s.kind === 'waitAll') return readLocals(s.count);
  return s.kind === 'call' && s.body !== undefined ? new Set() : statementReads(s);
}
