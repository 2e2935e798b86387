import type { ScalarKind } from '@nccl-ts/core';
import { MAX_SCALES } from '../kernels/rank-scales.ts';
import type { ReductionName } from '../red-op.ts';

/** The facts that decide if an algorithm supports a call. */
export interface ObstacleQuery {
  readonly nRanks: number;
  /** Ranks of a load-store domain. */
  readonly lsaSize: number;
  readonly element: ScalarKind;
  readonly op: ReductionName | undefined;
  /** True if `recv` is `send`, or one of them contains the other. */
  readonly inPlace: boolean;
}

type Obstacle = (query: ObstacleQuery) => string | undefined;

/** Returns the first obstacle, if there is one. */
export function firstObstacle(...obstacles: readonly Obstacle[]): Obstacle {
  return (query) => {
    for (const obstacle of obstacles) {
      const text = obstacle(query);
      if (text !== undefined) return text;
    }
    return undefined;
  };
}

/** Returns the obstacle if loads and stores do not reach all ranks. */
export function withinDomain({ nRanks, lsaSize }: ObstacleQuery): string | undefined {
  return lsaSize < nRanks ? `loads and stores reach only ${lsaSize} of the ${nRanks} ranks` : undefined;
}

/**
 * Returns the obstacle of algorithms in which each rank reads the scalars of all ranks before it
 * reduces.
 */
export function readsScales({ op, lsaSize }: ObstacleQuery): string | undefined {
  if (op !== 'preMulSum' || lsaSize <= MAX_SCALES) return undefined;
  return `scalars are stored for at most ${MAX_SCALES} ranks`;
}

/** Returns the obstacle of algorithms in which no rank reads the scalars of another. */
export function withoutScales({ op }: ObstacleQuery): string | undefined {
  return op === 'preMulSum' ? "the receiver of a value does not know the sender's scalar" : undefined;
}
