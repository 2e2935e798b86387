import { randomNumbers } from '../random.ts';

/** The size of a layer of experts, and of its batch. */
export interface MoeShape {
  /** The number of tokens of each rank. */
  readonly tokens: number;
  /** The number of experts that a token goes to. */
  readonly topK: number;
  /** The number of floats of a token. */
  readonly hidden: number;
  /** The number of experts of each rank. */
  readonly perRank: number;
}

/** A rank's tokens, and their destinations. */
export interface TokenBatch {
  readonly x: Float32Array;
  /** The experts of each token: `topK` different ones. */
  readonly routes: Uint32Array;
  /** The weights, one for each route. */
  readonly weights: Float32Array;
}

/**
 * Makes a batch that differs for every rank and round. Experts with low numbers are chosen more
 * often, and some may not be chosen.
 */
export function batchOf(rank: number, nRanks: number, round: number, shape: MoeShape): TokenBatch {
  const { tokens, topK, hidden, perRank } = shape;
  const next = randomNumbers(1 + rank + 1000 * round);
  const experts = nRanks * perRank;
  return {
    x: Float32Array.from({ length: tokens * hidden }, () => Math.floor(next() * 1000)),
    routes: Uint32Array.from(Array.from({ length: tokens }, () => distinct(topK, experts, next)).flat()),
    weights: Float32Array.from({ length: tokens * topK }, next),
  };
}

/** The expected output of the layer for a batch, rounded to floats. */
export function expectedOutput({ x, routes, weights }: TokenBatch, { tokens, topK, hidden }: MoeShape): Float32Array {
  return Float32Array.from({ length: tokens * hidden }, (_, place) => {
    const token = Math.floor(place / hidden);
    let sum = 0;
    for (let choice = token * topK; choice < (token + 1) * topK; choice++) {
      const made = Math.fround((x[place] ?? 0) * ((routes[choice] ?? 0) + 1));
      sum = Math.fround(sum + Math.fround(made * (weights[choice] ?? 0)));
    }
    return sum;
  });
}

/** The number of tokens in each box of a rank, by expert and by sender. */
export function expectedCounts(rank: number, batches: readonly TokenBatch[], { perRank }: MoeShape): Uint32Array {
  const nRanks = batches.length;
  return Uint32Array.from({ length: perRank * nRanks }, (_, box) => {
    const expert = rank * perRank + Math.floor(box / nRanks);
    return batches[box % nRanks]?.routes.filter((route) => route === expert).length ?? 0;
  });
}

function distinct(count: number, below: number, next: () => number): readonly number[] {
  const chosen = new Set<number>();
  while (chosen.size < count) chosen.add(Math.floor(next() * next() * below));
  return [...chosen];
}
