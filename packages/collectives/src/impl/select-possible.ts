import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { algorithmsOf, type Algorithm } from '../algorithm.ts';
import { MAX_SCALES } from '../kernels/rank-scales.ts';
import { ruleFits, select, type Selection, type SelectionQuery, type SelectionRule } from '../selection.ts';

/** What decides whether an algorithm can do something, beside which would be chosen. */
export interface PlacedQuery extends SelectionQuery {
  /** `recv` is `send`, or lies in it, or the other way round. */
  readonly inPlace: boolean;
}

/**
 * As `select`; but a call that the algorithm of a rule cannot do goes to the next rule that fits, and without one to the
 * collective's first algorithm.
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
  const others = rules.filter(({ algorithm }) => algorithm !== selection.algorithm);
  const next = others.some((rule) => ruleFits(rule, query))
    ? selectPossible(query, others)
    : select(query, rules, otherwise);
  return { ...next, because };
}

/** Types that have NaNs to spare, in words of 4 bytes. */
const sentinelElements: readonly ScalarKind[] = ['f32', 'f16', 'bf16'];

/** Why an algorithm cannot do it, in words; undefined where it can. */
export function obstacleTo(
  algorithm: Algorithm,
  { nRanks, lsaSize, element, op, inPlace }: Omit<PlacedQuery, 'collective' | 'backend' | 'count'>,
): string | undefined {
  if (algorithm === 'hierarchical') return lsaSize < nRanks ? undefined : 'there is one load-store domain';
  if (lsaSize < nRanks) return `loads and stores reach ${lsaSize} of the ${nRanks} ranks`;
  if (algorithm === 'oneShot' && inPlace) return 'in place, other ranks would read what is written';
  if (algorithm === 'sentinel' && !sentinelElements.includes(element)) return `every ${element} is a value of its own`;
  if (algorithm === 'ring' && nRanks === 1) return 'one rank is no ring';
  if (op === 'preMulSum' && (algorithm === 'll' || algorithm === 'sentinel')) {
    return 'who receives a value does not know its scalar';
  }
  if (op === 'preMulSum' && lsaSize > MAX_SCALES) return `scalars are kept for ${MAX_SCALES} ranks`;
  return undefined;
}
