import { compare } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { block, blockBarrier, voteAt } from './block-barrier.ts';
import { not, u32 } from './build.ts';
import { exchange } from './lanes.ts';
import { operandAt, operandsOf } from './read-words.ts';

/**
 * Lowers `bar.red.popc.u32 d, a{, b}, {!}p` and `bar.red.{and,or}.pred d, a{, b}, {!}p`.
 *
 * Threads that reduce wait only for others that do: PTX leaves it undefined if threads reduce while
 * others are at the same barrier by `bar.sync` or `bar.arrive`. So arrivals that are counted in
 * memory never complete a reduction, and the vote needs no memory.
 *
 * @see PTX ISA, 9.7.13.1: "should not be intermixed"
 */
export function lowerReduction(instruction: PtxInstruction, lowering: Lowering, reduction: string): void {
  const isOfAll = operandsOf(instruction, lowering, 3, 4).length === 3;
  const result = operandAt(instruction, lowering, 0);
  const vote = lowering.predicate(operandAt(instruction, lowering, isOfAll ? 2 : 3));
  const barrier = blockBarrier(instruction, lowering, 1, !isOfAll);
  const { name } = barrier;
  const isAlone = isOfAll && name !== undefined && lowering.barriers.reductionsAt(name) === 1;
  if (isAlone && reduction !== 'popc') {
    lowering.assign(result, exchange(lowering, reduction === 'and' ? 'all' : 'any', block, vote));
    return;
  }
  // A warp may have fewer threads than it counts for: all agree if none disagrees.
  const requested = reduction === 'and' ? not(vote) : vote;
  const votes = voteAt(lowering, barrier, requested);
  const isCount = reduction === 'popc';
  lowering.assign(result, isCount ? votes : compare(reduction === 'and' ? 'eq' : 'ne', votes, u32(0)));
}
