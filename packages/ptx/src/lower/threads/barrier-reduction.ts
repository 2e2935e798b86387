import { binary, compare, pointerOffset, scalarType, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { block, blockBarrier, meetAt } from './block-barrier.ts';
import { asWord, not, u32, variable } from './build.ts';
import { exchange } from './lanes.ts';
import { NAMES } from './named-barrier.ts';
import { operandAt, operandsOf } from './read-words.ts';

/** Lowers `bar.red.popc.u32 d, a{, b}, {!}p` and `bar.red.{and,or}.pred d, a{, b}, {!}p`. */
export function lowerReduction(instruction: PtxInstruction, lowering: Lowering, reduction: string): void {
  const isOfAll = operandsOf(instruction, lowering, 3, 4).length === 3;
  const result = operandAt(instruction, lowering, 0);
  const vote = lowering.predicate(operandAt(instruction, lowering, isOfAll ? 2 : 3));
  const barrier = blockBarrier(instruction, lowering, 1, !isOfAll);
  const { name } = barrier;
  const isAlone = isOfAll && name !== undefined && lowering.barriers.reductionsAt(name) === 1;
  if (isAlone && reduction !== 'popc' && !lowering.barriers.countsInMemory(name)) {
    lowering.assign(result, exchange(lowering, reduction === 'and' ? 'all' : 'any', block, vote));
    return;
  }
  const id = lowering.keep('barrier', barrier.id);
  const counter = pointerOffset(lowering.sharedWords('barrier_votes', NAMES), id);
  // Reductions and other instructions must not be at one barrier at the same time.
  const meet = (): void => meetAt(instruction, lowering, { ...barrier, id }, 1);
  // A warp may have fewer threads than it counts for, so `and` is true if no thread votes false.
  const votes = countVotes(lowering, reduction === 'and' ? not(vote) : vote, counter, meet);
  const isCount = reduction === 'popc';
  lowering.assign(result, isCount ? votes : compare(reduction === 'and' ? 'eq' : 'ne', votes, u32(0)));
}

/**
 * Counts the threads of `meet` whose vote is true. It uses a counter in shared memory that only
 * grows, so it need not be cleared.
 */
function countVotes(lowering: Lowering, vote: Expression, counter: Expression, meet: () => void): Expression {
  const load = (name: string): Expression => {
    const { id, value } = variable(lowering, name, scalarType('u32'));
    lowering.emit({ kind: 'load', local: id, pointer: counter, span: lowering.span });
    return value;
  };
  const before = load('before');
  meet();
  const access = { order: 'relaxed', scope: 'block' } as const;
  lowering.emit({ kind: 'atomic', op: 'add', pointer: counter, value: asWord(vote), access, span: lowering.span });
  meet();
  return binary('sub', load('after'), before);
}
