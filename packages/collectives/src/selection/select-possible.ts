import { NcclError } from '@nccl-ts/core';
import { algorithmSpecs, algorithmsOf, type Algorithm } from '../algorithms/algorithm.ts';
import type { ObstacleQuery } from '../algorithms/obstacles.ts';
import { select, type Selection } from './selection.ts';
import { ruleFits, type SelectionQuery, type SelectionRule } from './selection-rule.ts';

/**
 * The values that decide if an algorithm supports a call, in addition to those of the selection.
 */
export interface PlacedQuery extends SelectionQuery {
  /** True if `recv` is `send`, or one contains the other. */
  readonly inPlace: boolean;
}

/**
 * Like `select`, but skips a rule whose algorithm does not support the call. If no other rule fits,
 * it selects the collective's first algorithm. If `forced` is false, it also skips a `wanted`
 * algorithm that does not support the call.
 *
 * @throws NcclError like `select`; `NCCL_INVALID_USAGE` if the `wanted` algorithm does not support
 * the call.
 */
export function selectPossible(
  query: PlacedQuery,
  rules: readonly SelectionRule[],
  wanted?: Algorithm,
  forced = true,
): Selection {
  const { collective, nRanks } = query;
  if (wanted !== undefined && !forced) {
    const isOffered = algorithmsOf[collective].includes(wanted);
    const reason = isOffered ? obstacleTo(wanted, query) : `${collective} does not implement it`;
    if (reason !== undefined) {
      const automatic = selectPossible(query, rules);
      return { ...automatic, because: `${automatic.because}; not the call's ${wanted}: ${reason}` };
    }
  }
  const selection = select(query, rules, wanted);
  const obstacle = obstacleTo(selection.algorithm, query);
  if (obstacle === undefined) return selection;
  const [otherwise] = algorithmsOf[collective];
  // A single rank has no ring. Every other unsupported algorithm was the caller's own choice.
  if (wanted !== undefined && nRanks > 1) {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      `${collective}: ${selection.algorithm} does not support this call: ${obstacle}.`,
    );
  }
  const because = `${selection.because}, but ${obstacle}`;
  const others = rules.filter(({ algorithm }) => algorithm !== selection.algorithm);
  const next = others.some((rule) => ruleFits(rule, query))
    ? selectPossible(query, others)
    : select(query, rules, otherwise);
  return { ...next, because };
}

/** Returns the reason, in words, why an algorithm does not support a call; undefined if it does. */
export function obstacleTo(algorithm: Algorithm, query: ObstacleQuery): string | undefined {
  return algorithmSpecs[algorithm].obstacle(query);
}
