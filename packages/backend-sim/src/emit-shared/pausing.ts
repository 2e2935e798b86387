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

/** Rounds of a loop between two checks of the host's clock. A power of two. */
export const ROUNDS_UNSEEN = 8192;

/** The most rounds of a loop without counts that count, and those of one with an unknown number. */
export const MOST_AHEAD = 1048576;
export const ROUNDS_GUESSED = 256;
/** The rounds of an innermost loop that need not count: a check of the clock costs more. */
export const ROUNDS_FREE = 16;

/** `rounds`, but no more than the rounds after which the loop counts as endless. */
export function roundsUnseen(fuel: number, rounds: number = ROUNDS_UNSEEN): number {
  return Math.min(rounds, 2 ** Math.floor(Math.log2(fuel)));
}

/**
 * True if `loop` counts its rounds and checks the clock. One that surely ends leaves this to a loop
 * inside or around it, so that rounds cost no more than before.
 */
export function mayLast(loop: LoopStatement): boolean {
  return !isCounted(loop) || loopsIn(loop).some((inner) => !mayLast(inner));
}

/**
 * True if `loop` counts its rounds and checks the clock. Inside of shared loops a run of threads is
 * often short. There only a loop that may have no end does; others count ahead.
 */
export function looksAtClock(loop: LoopStatement, isInside: boolean): boolean {
  return isInside ? !isCounted(loop) : mayLast(loop);
}

/**
 * A loop that runs in pieces with a fixed number of rounds. Within a piece it is as plain as a loop
 * without clock checks; the checks are between pieces.
 */
export interface Pieces {
  readonly counted: CountedLoop;
  readonly kind: 'u32' | 'i32' | 'u64' | 'i64';
  /** The rounds of a piece. */
  readonly rounds: number;
}

/** The pieces of `loop`, if it surely ends and may have more than `unseen` rounds. */
export function piecesOf(loop: LoopStatement, unseen: number): Pieces | undefined {
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

/** True if no loop is in `loop`. */
export function isInnermost(loop: LoopStatement): boolean {
  return loopsIn(loop).length === 0;
}

/** The loops in `s` that are in no other loop in it. */
function loopsIn(s: Statement): readonly LoopStatement[] {
  return statementBodies(s)
    .flat()
    .flatMap((inner) => (inner.kind === 'loop' ? [inner] : loopsIn(inner)));
}

/** A loop at which a thread may pause, and the locals that it needs to continue. */
export interface PausePoint {
  readonly loop: LoopStatement;
  /** From 1 on. */
  readonly number: number;
  readonly kept: readonly LocalId[];
}

/** The points of `statements`, each loop of which is in one place. `kept` gives their locals. */
export function pausePoints(
  statements: Body,
  unseen: number,
  isInside: boolean,
  kept: (loop: LoopStatement) => readonly LocalId[],
): ReadonlyMap<LoopStatement, PausePoint> {
  const points = new Map<LoopStatement, PausePoint>();
  if (unseen === 0) return points;
  walkBody(statements, {
    statement: (s) => {
      if (s.kind !== 'loop') return;
      if (!looksAtClock(s, isInside) && (isInside || piecesOf(s, unseen) === undefined)) return;
      points.set(s, { loop: s, number: points.size + 1, kept: kept(s) });
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
