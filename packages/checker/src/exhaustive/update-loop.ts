import { readLocals, type AtomicStatement, type Expression, type LoopStatement, type Statement } from '@nccl-ts/ir';

/** A loop that repeats a compare-and-swap until no other thread changes the word in between. */
export interface UpdateLoop {
  readonly swap: AtomicStatement;
  /** The local that holds the expected value, from which the new one is computed. */
  readonly seen: number;
  /** The local that holds the value that was found. */
  readonly found: number;
}

const known = new WeakMap<LoopStatement, UpdateLoop | undefined>();

/**
 * Returns the update that a loop makes in effect: a single read-modify-write, in one of its rounds.
 * The other rounds have no effect.
 */
export function updateLoopOf(loop: LoopStatement): UpdateLoop | undefined {
  if (!known.has(loop)) known.set(loop, find(loop));
  return known.get(loop);
}

/** True if a load only provides the first guess for the update after it. */
export function isFirstGuess(statement: Statement, next: Statement | undefined): boolean {
  if (statement.kind !== 'load' || next?.kind !== 'loop') return false;
  const update = updateLoopOf(next);
  if (update === undefined || statement.access === undefined || statement.local !== update.seen) return false;
  return isSame(statement.pointer, update.swap.pointer);
}

function find({ condition, body, update }: LoopStatement): UpdateLoop | undefined {
  const [swap, leave, again, ...others] = body;
  if (condition !== undefined || update.length > 0 || others.length > 0) return undefined;
  if (swap?.kind !== 'atomic' || swap.op !== 'cas' || leave?.kind !== 'if' || again?.kind !== 'assign')
    return undefined;
  const [found, seen] = [swap.local, again.local];
  if (found === undefined || localOf(swap.expected) !== seen || localOf(again.value) !== found) return undefined;
  const [end, ...more] = leave.then;
  if (end?.kind !== 'break' || more.length > 0 || leave.else.length > 0) return undefined;
  const { condition: isOver } = leave;
  if (isOver.kind !== 'compare' || isOver.op !== 'eq') return undefined;
  const compared = new Set([localOf(isOver.left), localOf(isOver.right)]);
  if (!compared.has(found) || !compared.has(seen)) return undefined;
  const place = new Set(readLocals(swap.pointer));
  return place.has(found) || place.has(seen) || new Set(readLocals(swap.value)).has(found)
    ? undefined
    : { swap, seen, found };
}

function localOf(e: Expression | undefined): number | undefined {
  return e?.kind === 'local' ? e.local : undefined;
}

/** True if two parts of a module are equal in all their parts. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [Object.entries(a), new Map(Object.entries(b))];
  return left.length === right.size && left.every(([name, value]) => isSame(value, right.get(name)));
}
