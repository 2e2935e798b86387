import {
  isCounted,
  statementBodies,
  walkBody,
  type Body,
  type LocalId,
  type LoopStatement,
  type Statement,
} from '@nccl-ts/ir';

/** Rounds of a loop between two looks at the host's clock. A power of two. */
const ROUNDS_UNSEEN = 8192;

/** The most rounds of a loop without counts that count, and those of one with an unknown number. */
export const MOST_AHEAD = 1048576;
export const ROUNDS_GUESSED = 256;

/** As `ROUNDS_UNSEEN`, but no more than the rounds after which the loop counts as endless. */
export function roundsUnseen(fuel: number): number {
  return Math.min(ROUNDS_UNSEEN, 2 ** Math.floor(Math.log2(fuel)));
}

/**
 * True if `loop` counts its rounds and looks at the clock. One that surely ends leaves this to a
 * loop inside or around it, so that rounds cost no more than before.
 */
export function mayLast(loop: LoopStatement): boolean {
  return !isCounted(loop) || loopsIn(loop).some((inner) => !mayLast(inner));
}

/** The loops in `s` that are in no other loop in it. */
function loopsIn(s: Statement): readonly LoopStatement[] {
  return statementBodies(s)
    .flat()
    .flatMap((inner) => (inner.kind === 'loop' ? [inner] : loopsIn(inner)));
}

/** A loop at which a thread may pause, and the locals that it needs to go on there. */
export interface PausePoint {
  readonly loop: LoopStatement;
  /** From 1 on. */
  readonly number: number;
  readonly kept: readonly LocalId[];
}

/** The points of `statements`, which `kept` gives their locals. */
export function pausePoints(
  statements: Body,
  kept: (loop: LoopStatement) => readonly LocalId[],
): ReadonlyMap<LoopStatement, PausePoint> {
  const points = new Map<LoopStatement, PausePoint>();
  walkBody(statements, {
    statement: (s) => {
      if (s.kind === 'loop' && mayLast(s)) points.set(s, { loop: s, number: points.size + 1, kept: kept(s) });
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
