import { NcclError, type ScalarKind } from '@nccl-ts/core';
import { algorithmsOf, type Algorithm } from '../algorithm.ts';
import { MAX_SCALES } from '../kernels/rank-scales.ts';
import { select, type Selection, type SelectionQuery, type SelectionRule } from '../selection.ts';

/** The values that decide if an algorithm can do a call, in addition to those of the selection. */
export interface PlacedQuery extends SelectionQuery {
  /** True if `recv` is `send`, or one contains the other. */
  readonly inPlace: boolean;
}

/**
 * As `select`; but if a rule names an algorithm that cannot do the call, the collective's first
 * algorithm does it.
 *
 * @throws NcclError like `select`; `NCCL_INVALID_USAGE` if the `wanted` algorithm cannot do it.
 */
export function selectPossible(query: PlacedQuery, rules: readonly SelectionRule[], wanted?: Algorithm): Selection {
  const { collective, nRanks } = query;
  const selection = select(query, rules, wanted);
  const obstacle = obstacleTo(selection.algorithm, query);
  if (obstacle === undefined) return selection;
  const [otherwise] = algorithmsOf[collective];
  // A single rank has no ring; everything else was the caller's own choice.
  if (wanted !== undefined && nRanks > 1) {
    throw new NcclError('NCCL_INVALID_USAGE', `${collective}: ${selection.algorithm} cannot do this: ${obstacle}.`);
  }
  const because = `${selection.because}, but ${obstacle}`;
  return { ...select(query, rules, otherwise), because };
}

/** Types that have NaNs to spare, in words of 4 bytes. */
const sentinelElements: readonly ScalarKind[] = ['f32', 'f16', 'bf16'];

/** Why an algorithm cannot do it, in words; undefined where it can. */
export function obstacleTo(
  algorithm: Algorithm,
  { nRanks, lsaSize, element, op, inPlace }: Omit<PlacedQuery, 'collective' | 'backend' | 'count'>,
): string | undefined {
  if (algorithm === 'hierarchical') return lsaSize < nRanks ? undefined : 'there is only one load-store domain';
  if (lsaSize < nRanks) return `loads and stores reach ${lsaSize} of the ${nRanks} ranks`;
  if (algorithm === 'oneShot' && inPlace) return 'in place, other ranks would read data that is being written';
  if (algorithm === 'sentinel' && !sentinelElements.includes(element)) return `every ${element} is a separate value`;
  if (algorithm === 'ring' && nRanks === 1) return 'one rank is no ring';
  if (op === 'preMulSum' && (algorithm === 'll' || algorithm === 'sentinel')) {
    return 'the receiver of a value does not know its scalar';
  }
  if (op === 'preMulSum' && lsaSize > MAX_SCALES) return `scalars are kept for ${MAX_SCALES} ranks`;
  return undefined;
}
