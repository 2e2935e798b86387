import {
  countedLoop,
  isCounted,
  statementBodies,
  walkBody,
  type Body,
  type LocalId,
  type LoopStatement,
  type CountedLoop,
  type Statement,
} from '@nccl-ts/ir';

import { scalarOf } from './types.ts';

/** The rounds of a loop between two checks of the host's clock, a power of two. */
export const ROUNDS_UNSEEN = 8192;

/**
 * The largest number of rounds that are counted for a loop that does not count its own, and for one
 * with an unknown number.
 */
export const MOST_AHEAD = 1048576;
export const ROUNDS_GUESSED = 256;
/**
 * Rounds of an innermost loop up to this number are not counted, because a check of the clock costs
 * more.
 */
export const ROUNDS_FREE = 16;

/** Returns `rounds`, but at most the number after which the loop counts as endless. */
export function roundsUnseen(fuel: number, rounds: number = ROUNDS_UNSEEN): number {
  return Math.min(rounds, 2 ** Math.floor(Math.log2(fuel)));
}

/**
 * True if `loop` counts its rounds and checks the clock. If a loop surely ends, a loop inside or
 * around it does that instead, so that its rounds cost no more than before.
 */
function mayLast(loop: LoopStatement): boolean {
  return !isCounted(loop) || loopsIn(loop).some((inner) => !mayLast(inner));
}

/**
 * True if `loop` counts its rounds and checks the clock. Inside shared loops, a run of threads is
 * often short. There only a loop that may be endless does so, and other loops count ahead.
 */
function looksAtClock(loop: LoopStatement, isInside: boolean): boolean {
  return isInside ? !isCounted(loop) : mayLast(loop);
}

/**
 * A loop that runs in pieces with a fixed number of rounds. A piece is as simple as a loop without
 * clock checks, because the checks are between pieces.
 */
export interface Pieces {
  readonly counted: CountedLoop;
  readonly kind: 'u32' | 'i32' | 'u64' | 'i64';
  /** The number of rounds of a piece. */
  readonly rounds: number;
}

/** Returns the pieces of `loop`, if it surely ends and may have more than `unseen` rounds. */
function piecesOf(loop: LoopStatement, unseen: number): Pieces | undefined {
  const counted = mayLast(loop) ? undefined : countedLoop(loop);
  if (counted === undefined) return undefined;
  const kind = scalarOf(counted.bound.type);
  if (kind !== 'u32' && kind !== 'i32' && kind !== 'u64' && kind !== 'i64') return undefined;
  const { bound } = counted;
  if (bound.kind === 'constant' && Number(bound.value) <= unseen) return undefined;
  let size = 0;
  walkBody(loop.body, { statement: () => void size++ });
  const rounds = 2 ** Math.floor(Math.log2(unseen / (1 + size / 4)));
  return { counted, kind, rounds: Math.max(rounds, Math.min(64, unseen)) };
}

/**
 * Returns how a turn can pause in `loop`: between its pieces, or after rounds that the loop counts;
 * `undefined` if it cannot.
 */
export function pausesIn(loop: LoopStatement, unseen: number, isInside: boolean): Pieces | 'rounds' | undefined {
  if (looksAtClock(loop, isInside)) return 'rounds';
  return isInside ? undefined : piecesOf(loop, unseen);
}

/**
 * Returns what determines the number of rounds of a loop that does not count them. When the loop
 * begins, it brings the next clock check closer by that number. `unknown` stands for
 * `ROUNDS_GUESSED`, and `undefined` for no rounds.
 */
export function roundsAhead(loop: LoopStatement): CountedLoop | 'unknown' | undefined {
  const counted = countedLoop(loop);
  if (counted === undefined) return undefined;
  const kind = scalarOf(counted.bound.type);
  return kind === 'u32' || kind === 'i32' ? counted : 'unknown';
}

/** True if `loop` contains no other loop. */
export function isInnermost(loop: LoopStatement): boolean {
  return loopsIn(loop).length === 0;
}

/** Returns the outermost loops in `s`. */
function loopsIn(s: Statement): readonly LoopStatement[] {
  return statementBodies(s)
    .flat()
    .flatMap((inner) => (inner.kind === 'loop' ? [inner] : loopsIn(inner)));
}

/** A loop in which a thread may pause, and the locals that it needs to continue. */
export interface PausePoint {
  readonly loop: LoopStatement;
  /** The point's number, from 1. */
  readonly number: number;
  readonly savedLocals: readonly LocalId[];
}

/**
 * Returns the pause points of `statements`, in which each loop is at only one place. `savedLocals`
 * returns their locals.
 */
export function pausePoints(
  statements: Body,
  unseen: number,
  isInside: boolean,
  savedLocals: (loop: LoopStatement) => readonly LocalId[],
): ReadonlyMap<LoopStatement, PausePoint> {
  const points = new Map<LoopStatement, PausePoint>();
  if (unseen === 0) return points;
  walkBody(statements, {
    statement: (s) => {
      if (s.kind !== 'loop') return;
      if (pausesIn(s, unseen, isInside) === undefined) return;
      points.set(s, { loop: s, number: points.size + 1, savedLocals: savedLocals(s) });
    },
  });
  return points;
}

/** True if a point is in `s`. */
export function holdsPoint(s: Statement, points: ReadonlyMap<LoopStatement, PausePoint>): boolean {
  if (s.kind === 'loop' && points.has(s)) return true;
  return statementBodies(s)
    .flat()
    .some((inner) => holdsPoint(inner, points));
}
