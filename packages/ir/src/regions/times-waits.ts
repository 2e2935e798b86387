import type { LocalId } from '../expression.ts';
import type { Module } from '../module.ts';
import type { Body, Statement } from '../statement.ts';
import { readLocals, statementReads } from '../visit/locals.ts';
import { statementBodies, statementTarget } from '../visit/children.ts';

/**
 * True if all that the module's looks at the clock decide is when waits give up: nothing else that
 * it does depends on what the clock says, but for what depends on whether a wait has come to what
 * it waited for.
 */
export function timesWaitsOnly(module: Module): boolean {
  const timed = new Set<LocalId>();
  for (;;) {
    const before = timed.size;
    if (!onlyTimes(module.body, timed, 'outside')) return false;
    if (timed.size === before) return true;
  }
}

/** Where a body stands; below a branch that the clock decides, all that is set depends on it. */
type Place = 'outside' | 'wait' | 'late';

/** Adds to `timed` what the clock decides. True if it decides nothing but that. */
function onlyTimes(body: Body, timed: Set<LocalId>, place: Place): boolean {
  return body.every((s) => {
    const isTimed = [...readsOf(s)].some((id) => timed.has(id));
    if (isTimed && s.kind !== 'assign' && (s.kind !== 'if' || place === 'outside')) return false;
    // What an array holds is not followed.
    if (s.kind === 'store' && place === 'late') return false;
    const target = statementTarget(s);
    if (target !== undefined && (isTimed || place === 'late' || s.kind === 'clock')) timed.add(target);
    const inner = s.kind === 'wait' || s.kind === 'waitAll' ? 'wait' : isTimed ? 'late' : place;
    return statementBodies(s).every((one) => onlyTimes(one, timed, inner));
  });
}

/**
 * What a statement reads to do what it does: not the condition of a wait, nor what a call only
 * names.
 */
function readsOf(s: Statement): ReadonlySet<LocalId> {
  if (s.kind === 'wait') return new Set();
  if (s.kind === 'waitAll') return readLocals(s.count);
  return s.kind === 'call' && s.body !== undefined ? new Set() : statementReads(s);
}
