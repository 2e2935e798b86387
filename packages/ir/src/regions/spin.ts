import type { LocalId } from '../expression.ts';
import type { Body, LoopStatement, Statement } from '../statement.ts';
import { statementBodies, statementTarget } from '../visit/children.ts';
import { assignedLocals, readLocals, statementReads } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';

/**
 * True if `loop` waits for other threads by polling. It contains an atomic or an ordered load, and
 * the value read decides if it continues. In a loop that only reads memory, plain loads count too.
 * Loops around a `wait` do not count, because the wait blocks.
 */
export function pollsByAtomics(loop: LoopStatement): boolean {
  const tainted = new Set<LocalId>();
  const bodies = [loop.body, loop.update];
  const looks = onlyLooks(loop);
  for (const body of bodies) {
    walkBody(body, {
      statement: (s) => {
        if (s.kind === 'wait' || s.kind === 'waitAll') return false;
        const isOrdered = s.kind === 'atomic' || (s.kind === 'load' && (s.access !== undefined || looks));
        if (isOrdered && s.local !== undefined) tainted.add(s.local);
        return true;
      },
    });
  }
  if (tainted.size === 0) return false;
  do spreadTaint(bodies, tainted, 'branches too');
  while (spreadThroughMemory(bodies, tainted));
  if (loop.condition !== undefined && readsAny(readLocals(loop.condition), tainted)) return true;
  return bodies.some((body) => exitDepends(body, tainted, false));
}

/**
 * True if such a loop waits for an action of another thread. It does not wait if every further
 * round proves that some thread made progress. That is so if the loop adds, or exchanges a value
 * that it has read itself.
 */
export function waitsByAtomics(loop: LoopStatement): boolean {
  if (!pollsByAtomics(loop)) return false;
  const read = new Set<LocalId>();
  let waits = false;
  const bodies = [loop.body, loop.update];
  const each = (visit: (s: Statement) => void): void => {
    for (const body of bodies) walkBody(body, { statement: visit });
  };
  each((s) => {
    if ((s.kind === 'load' || s.kind === 'atomic') && s.local !== undefined) read.add(s.local);
  });
  spreadTaint(bodies, read);
  each((s) => {
    if (s.kind === 'load') waits ||= s.access !== undefined;
    if (s.kind !== 'atomic' || s.local === undefined) return;
    if ((s.op === 'add' || s.op === 'sub') && !(s.value.kind === 'constant' && Number(s.value.value) === 0)) return;
    waits ||= s.expected === undefined || !readsAny(readLocals(s.expected), read);
  });
  return waits;
}

/**
 * True if a round of `loop` only loads from memory that other threads may write, at the same
 * addresses as the previous round.
 */
export function onlyLooks(loop: LoopStatement): boolean {
  const changed = assignedLocals([loop]);
  let looks = true;
  for (const body of [loop.body, loop.update]) {
    walkBody(body, {
      statement: (s) => {
        if (s.kind === 'load') {
          const { type } = s.pointer;
          looks &&= type.kind === 'pointer' && type.space !== 'local' && !readsAny(readLocals(s.pointer), changed);
        } else if (s.kind === 'assign') looks &&= !readsAny(readLocals(s.value), new Set([s.local]));
        else looks &&= s.kind === 'if' || s.kind === 'break' || s.kind === 'continue';
      },
    });
  }
  return looks;
}

/**
 * Adds to `tainted` the values that depend on it. With `branches too`, a branch whose condition is
 * tainted also taints the locals that it sets.
 */
export function spreadTaint(bodies: readonly Body[], tainted: Set<LocalId>, along?: 'branches too'): void {
  let before: number;
  const spread = (body: Body, guarded: boolean): void => {
    for (const s of body) {
      const target = statementTarget(s);
      if (target !== undefined && (guarded || readsAny(statementReads(s), tainted))) tainted.add(target);
      const inside = guarded || (along !== undefined && isBranch(s) && readsAny(statementReads(s), tainted));
      for (const inner of statementBodies(s)) spread(inner, inside);
    }
  };
  do {
    before = tainted.size;
    for (const body of bodies) spread(body, false);
  } while (tainted.size > before);
}

/**
 * Adds to `tainted` the values of loads from an address space to which the loop stores a tainted
 * value: one thread polls, and gives its CTA through shared memory what it has read. Returns true
 * if there were any.
 */
function spreadThroughMemory(bodies: readonly Body[], tainted: Set<LocalId>): boolean {
  const spaces = new Set<string>();
  const each = (visit: (s: Statement) => void): void => {
    for (const body of bodies) walkBody(body, { statement: visit });
  };
  each((s) => {
    if (s.kind !== 'store' || s.pointer.type.kind !== 'pointer') return;
    if (readsAny(readLocals(s.value), tainted)) spaces.add(s.pointer.type.space);
  });
  const before = tainted.size;
  each((s) => {
    if (s.kind !== 'load' || s.pointer.type.kind !== 'pointer') return;
    if (spaces.has(s.pointer.type.space)) tainted.add(s.local);
  });
  return tainted.size > before;
}

/** True if a jump that may end the loop depends on a condition on the values read. */
function exitDepends(body: Body, tainted: ReadonlySet<LocalId>, guarded: boolean): boolean {
  return body.some((s) => {
    if (s.kind === 'break' || s.kind === 'leave' || s.kind === 'return') return guarded;
    const inside = guarded || (isBranch(s) && readsAny(statementReads(s), tainted));
    return statementBodies(s).some((inner) => exitDepends(inner, tainted, inside));
  });
}

function isBranch(s: Statement): boolean {
  return s.kind === 'if' || s.kind === 'loop';
}

function readsAny(reads: ReadonlySet<LocalId>, among: ReadonlySet<LocalId>): boolean {
  for (const id of reads) if (among.has(id)) return true;
  return false;
}
