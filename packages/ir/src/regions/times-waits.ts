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
    if (!onlyTimes(module.body, timed, { position: 'outside' })) return false;
    if (timed.size === before) return true;
  }
}

/** The surroundings of a body. */
interface BodyContext {
  /**
   * Inside a branch on the clock, all locals that the body computes depend on the clock. The other
   * side of a branch that ends the wait is no such branch: the wait goes on there until its limit.
   */
  readonly position: 'outside' | 'wait' | 'late';
  /** In a wait: the locals that decide that it is over. */
  readonly decides?: ReadonlySet<LocalId>;
}

/** Adds to `timed` the locals that depend on the clock. True if the body has no other effect. */
function onlyTimes(body: Body, timed: Set<LocalId>, context: BodyContext): boolean {
  const { position, decides } = context;
  const isEnd = endsWait(body, decides);
  return body.every((s) => {
    const isTimed = [...readsOf(s)].some((id) => timed.has(id));
    if (isTimed && s.kind !== 'assign' && (position === 'outside' || !mayBeTimed(s))) return false;
    // Array contents are not tracked.
    if (s.kind === 'store' && position === 'late') return false;
    const target = statementTarget(s);
    // A load after a test of the clock returns what memory holds. A constant that is set where the
    // wait ends is its outcome.
    const isOutcome = s.kind === 'load' || (isEnd && s.kind === 'assign' && s.value.kind === 'constant');
    const isLate = position === 'late' && !isOutcome;
    if (target !== undefined && (isTimed || isLate || s.kind === 'clock')) timed.add(target);
    const bodies = statementBodies(s);
    const isLimit = bodies.some((one) => endsWait(one, decides));
    return bodies.every((one) => {
      const goesOn = isLimit && !endsWait(one, decides);
      return onlyTimes(one, timed, inside(s, context, isTimed && !goesOn));
    });
  });
}

/** The surroundings of an inner body. `isLate`: it depends on the clock if the body runs. */
function inside(s: Statement, context: BodyContext, isLate: boolean): BodyContext {
  if (s.kind === 'wait') return { position: 'wait', decides: readLocals(s.condition) };
  if (s.kind === 'waitAll') return { position: 'wait' };
  return isLate ? { ...context, position: 'late' } : context;
}

/** True if a body says itself that a wait is over. */
function endsWait(body: Body, decides: ReadonlySet<LocalId> | undefined): boolean {
  return body.some((s) => {
    if (s.kind !== 'assign' || decides?.has(s.local) !== true) return false;
    return s.value.kind === 'constant' && s.value.value === true;
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
