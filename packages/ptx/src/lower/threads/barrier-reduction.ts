import { binary, compare, pointerOffset, scalarType, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { block, blockBarrier, meetAt, voteAt, type BlockBarrier } from './block-barrier.ts';
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
  // A warp may have fewer threads than it counts for: all agree if none disagrees.
  const asked = reduction === 'and' ? not(vote) : vote;
  const votes = lowering.barriers.countsInMemory(name)
    ? voteInMemory(instruction, lowering, barrier, asked)
    : voteAt(lowering, barrier, asked);
  const isCount = reduction === 'popc';
  lowering.assign(result, isCount ? votes : compare(reduction === 'and' ? 'eq' : 'ne', votes, u32(0)));
}

/**
 * Counts the threads of `meet` whose vote is true. It uses a counter in shared memory that only
 * grows, so it need not be cleared.
 */
function voteInMemory(
  instruction: PtxInstruction,
  lowering: Lowering,
  barrier: BlockBarrier,
  vote: Expression,
): Expression {
  const id = lowering.keep('barrier', barrier.id);
  const counter = pointerOffset(lowering.sharedWords('barrier_votes', NAMES), id);
  const load = (name: string): Expression => {
    const { id: local, value } = variable(lowering, name, scalarType('u32'));
    lowering.emit({ kind: 'load', local, pointer: counter, span: lowering.span });
    return value;
  };
  const before = load('before');
  meetAt(instruction, lowering, { ...barrier, id });
  const access = { order: 'relaxed', scope: 'block' } as const;
  lowering.emit({ kind: 'atomic', op: 'add', pointer: counter, value: asWord(vote), access, span: lowering.span });
  meetAt(instruction, lowering, { ...barrier, id });
  return binary('sub', load('after'), before);
}
