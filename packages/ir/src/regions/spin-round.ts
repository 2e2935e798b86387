import type { LocalId } from '../expression.ts';
import type { AtomicStatement, Body, LoopStatement, Statement } from '../statement.ts';
import { statementBodies, statementTarget } from '../visit/children.ts';
import { assignedLocals, readLocals, statementReads } from '../visit/locals.ts';
import { walkBody } from '../visit/walk.ts';
import { onlyLooks, pollsByAtomics, spreadTaint, waitsByAtomics } from './spin.ts';

/** A loop that waits by spinning. A round has no effect if nothing has changed. */
export interface SpinRound {
  /**
   * The values that a round takes from the previous one, or leaves for the code after the loop. A
   * round that changes none of these, and no memory, has no effect.
   */
  readonly carried: ReadonlySet<LocalId>;
  /**
   * True if a round only reads. Otherwise it also modifies words or has fences, and the last round
   * must run unchanged.
   */
  readonly onlyLooks: boolean;
}

/**
 * Analyses a loop that spins. Its rounds load words, or read and modify them, but change nothing
 * while other threads change nothing. Examples are `while (flag.load(0, 'acquire') !== 1)`, and a
 * loop that takes a lock. Returns `undefined` for loops that store, count their rounds, or use the
 * clock to end.
 */
export function spinRound(loop: LoopStatement): SpinRound | undefined {
  if (!pollsByAtomics(loop) || !(waitsByAtomics(loop) || onlyLooks(loop))) return undefined;
  const bodies = [loop.body, loop.update];
  if (!bodies.every((body) => body.every(mayRepeat))) return undefined;
  if (exitsByClock(loop)) return undefined;
  let repeats = true;
  each(bodies, (s) => {
    if (s.kind === 'atomic' || s.kind === 'fence') repeats = false;
  });
  const set = new Set<LocalId>();
  const carried = new Set<LocalId>();
  for (const body of bodies) scan(body, set, carried);
  const read = loop.condition === undefined ? [] : readLocals(loop.condition);
  const assigned = assignedLocals([loop]);
  for (const local of [...read, ...assigned]) {
    // The condition reads the values of the last round, even if a round does not always set them.
    if (!set.has(local) || (loop.condition !== undefined && readLocals(loop.condition).has(local))) carried.add(local);
  }
  return { carried: new Set([...carried].filter((local) => assigned.has(local))), onlyLooks: repeats };
}

function each(bodies: readonly Body[], visit: (s: Statement) => void): void {
  for (const body of bodies) walkBody(body, { statement: visit });
}

/** True if a statement may be in a round without effect. */
function mayRepeat(s: Statement): boolean {
  switch (s.kind) {
    case 'assign':
      return !readLocals(s.value).has(s.local);
    case 'load':
    case 'clock':
    case 'approximate':
    case 'fence':
    case 'fenceProxy':
    case 'break':
    case 'continue':
    case 'leave':
    case 'return':
      return true;
    case 'store':
      return spaceOf(s.pointer.type) === 'local';
    case 'atomic':
      return spaceOf(s.pointer.type) !== 'local' && mayKeep(s);
    case 'call':
      return s.body !== undefined && s.body.every(mayRepeat);
    case 'if':
    case 'loop':
    case 'block':
      return statementBodies(s).every((body) => body.every(mayRepeat));
    case 'sync':
    case 'wait':
    case 'waitAll':
    case 'collective':
    case 'assert':
    case 'print':
      return false;
  }
}

function spaceOf(type: AtomicStatement['pointer']['type']): string | undefined {
  return type.kind === 'pointer' ? type.space : undefined;
}

/**
 * True if a read-modify-write may leave a word unchanged. Adding a number other than 0 always
 * changes it.
 */
function mayKeep({ op, value }: AtomicStatement): boolean {
  if (op !== 'add' && op !== 'sub' && op !== 'xor') return true;
  return value.kind !== 'constant' || Number(value.value) === 0;
}

/** True if the loop may end depending on the clock. */
function exitsByClock(loop: LoopStatement): boolean {
  const bodies = [loop.body, loop.update];
  const times = new Set<LocalId>();
  each(bodies, (s) => {
    if (s.kind === 'clock') times.add(s.local);
  });
  if (times.size === 0) return false;
  spreadTaint(bodies, times);
  const isTimed = (reads: ReadonlySet<LocalId>): boolean => [...reads].some((local) => times.has(local));
  if (loop.condition !== undefined && isTimed(readLocals(loop.condition))) return true;
  const exits = (body: Body, guarded: boolean, inside: boolean): boolean =>
    body.some((s) => {
      if (s.kind === 'break') return guarded && !inside;
      if (s.kind === 'return' || s.kind === 'leave') return guarded;
      const timed = guarded || ((s.kind === 'if' || s.kind === 'loop') && isTimed(statementReads(s)));
      return statementBodies(s).some((inner) => exits(inner, timed, inside || s.kind === 'loop'));
    });
  return bodies.some((body) => exits(body, false, false));
}

/**
 * Adds to `read` the locals that `body` reads before it sets them, and to `set` those that it
 * always sets. Returns true if the body may jump out of itself.
 */
export function scan(body: Body, set: Set<LocalId>, read: Set<LocalId>): boolean {
  let mayJump = false;
  let sure = set;
  for (const s of body) {
    if (mayJump && sure === set) sure = new Set(set);
    for (const local of statementReads(s)) if (!sure.has(local)) read.add(local);
    const target = statementTarget(s);
    if (s.kind === 'if') {
      const [then, otherwise] = [new Set(sure), new Set(sure)];
      const jumps = [scan(s.then, then, read), scan(s.else, otherwise, read)];
      for (const local of then) if (otherwise.has(local)) sure.add(local);
      mayJump ||= jumps.includes(true);
    } else if (s.kind === 'loop') {
      // Jumps inside an inner loop count only if they leave more than that loop.
      const inner = s.condition === undefined ? sure : new Set(sure);
      scan(s.body, inner, read);
      scan(s.update, new Set(inner), read);
    } else {
      for (const inner of statementBodies(s)) mayJump = scan(inner, sure, read) || mayJump;
    }
    if (target !== undefined) sure.add(target);
    mayJump ||= s.kind === 'break' || s.kind === 'continue' || s.kind === 'leave' || s.kind === 'return';
  }
  return mayJump;
}
