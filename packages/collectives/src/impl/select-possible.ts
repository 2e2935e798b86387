import { NcclError } from '@nccl-ts/core';
import { algorithmSpecs, algorithmsOf, type Algorithm } from '../algorithm.ts';
import type { ObstacleQuery } from '../algorithms/obstacles.ts';
import { select, type Selection, type SelectionQuery, type SelectionRule } from '../selection.ts';

/** What decides whether an algorithm can do something, beside which would be chosen. */
export interface PlacedQuery extends SelectionQuery {
  /** `recv` is `send`, or lies in it, or the other way round. */
  readonly inPlace: boolean;
}

/**
 * As `select`; but what cannot be done by what a rule names is done by the collective's first algorithm.
 *
 * @throws NcclError as `select`; `NCCL_INVALID_USAGE` where it is `wanted` that cannot do it.
 */
export function selectPossible(query: PlacedQuery, rules: readonly SelectionRule[], wanted?: Algorithm): Selection {
  const { collective, nRanks } = query;
  const selection = select(query, rules, wanted);
  const obstacle = obstacleTo(selection.algorithm, query);
  if (obstacle === undefined) return selection;
  const [otherwise] = algorithmsOf[collective];
  // One rank alone has nobody to go round; everything else was the caller's own choice.
  if (wanted !== undefined && nRanks > 1) {
    throw new NcclError('NCCL_INVALID_USAGE', `${collective}: ${selection.algorithm} cannot do this: ${obstacle}.`);
  }
  const because = `${selection.because}, but ${obstacle}`;
  return { ...select(query, rules, otherwise), because };
}

/** Why an algorithm cannot do it, in words; undefined where it can. */
export function obstacleTo(algorithm: Algorithm, query: ObstacleQuery): string | undefined {
  return algorithmSpecs[algorithm].obstacle(query);
}
