import { binary, compare, pointerOffset, scalarType, type Coop, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { asWord, not, u32, variable } from './build.ts';
import { exchange, maskedLanes } from './lanes.ts';
import { arriveAt, NAMES, syncAt, type NamedMeeting } from './named-barrier.ts';
import { operandAt, operandsOf, readWords } from './read-words.ts';

const block: Coop = Object.freeze({ kind: 'cta' });

/** `bar` and `barrier`: of a block, of some of its threads, of a warp, of a cluster. */
export function lowerBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const [, first] = instruction.words;
  if (first === 'warp') lowerWarpBarrier(instruction, lowering);
  else if (first === 'cluster') lowerClusterBarrier(instruction, lowering);
  else lowerBlockBarrier(instruction, lowering);
}

function lowerBlockBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    scope: ['cta'],
    action: ['sync', 'arrive', 'red'],
    reduction: ['popc', 'and', 'or'],
    aligned: ['aligned'],
    type: ['u32', 'pred'],
  });
  const action = word.need('action');
  if (action === 'red') {
    const reduction = word.need('reduction');
    const type = reduction === 'popc' ? 'u32' : 'pred';
    if (word.need('type') !== type) {
      lowering.fail('P2003', `cannot translate ${mnemonic(instruction)} because .${reduction} returns .${type}`);
    }
    lowerReduction(instruction, lowering, reduction);
    return;
  }
  word.forbid('reduction', 'type');
  if (action === 'arrive') {
    operandsOf(instruction, lowering, 2);
    arriveAt(lowering, named(instruction, lowering));
    return;
  }
  if (operandsOf(instruction, lowering, 1, 2).length === 1) {
    sync(lowering, block);
    return;
  }
  syncAt(lowering, named(instruction, lowering));
}

/** The barrier, operand number `index`, and its number of threads, the next operand. */
function named(instruction: PtxInstruction, lowering: Lowering, index = 0): NamedMeeting {
  const number = operandAt(instruction, lowering, index);
  const threads = operandAt(instruction, lowering, index + 1);
  if (number.kind === 'integer' && (number.value < 0n || number.value > 15n)) {
    lowering.fail('P1003', `cannot translate ${mnemonic(instruction)} because there is no barrier ${number.value}`);
  }
  if (threads.kind === 'integer' && (threads.value <= 0n || threads.value % 32n !== 0n)) {
    lowering.fail(
      'P1003',
      `cannot translate ${mnemonic(instruction)} because ${threads.value} threads are not whole warps`,
      'give a multiple of 32',
    );
  }
  const isAligned = instruction.words[0] === 'bar' || instruction.words.includes('aligned');
  return { id: lowering.value(number, 'u32'), count: lowering.value(threads, 'u32'), isAligned };
}

/** `bar.red.popc.u32 d, a{, b}, {!}p` and `bar.red.{and,or}.pred d, a{, b}, {!}p`. */
function lowerReduction(instruction: PtxInstruction, lowering: Lowering, reduction: string): void {
  const isOfAll = operandsOf(instruction, lowering, 3, 4).length === 3;
  const result = operandAt(instruction, lowering, 0);
  const vote = lowering.predicate(operandAt(instruction, lowering, isOfAll ? 2 : 3));
  if (!isOfAll) {
    lowering.assign(result, countedAt(lowering, named(instruction, lowering, 1), reduction, vote));
    return;
  }
  lowering.assign(
    result,
    reduction === 'popc'
      ? countVotes(lowering, vote, lowering.sharedWords('counted_votes', 1), () => sync(lowering, block))
      : exchange(lowering, reduction === 'and' ? 'all' : 'any', block, vote),
  );
}

/** A reduction over the threads of a named barrier. */
function countedAt(lowering: Lowering, meeting: NamedMeeting, reduction: string, vote: Expression): Expression {
  const id = lowering.keep('barrier', meeting.id);
  const meet = (): void => syncAt(lowering, { ...meeting, id });
  // A warp may have fewer threads than it counts for: all agree if none disagrees.
  const counter = pointerOffset(lowering.sharedWords('barrier_votes', NAMES), id);
  const votes = countVotes(lowering, reduction === 'and' ? not(vote) : vote, counter, meet);
  if (reduction === 'popc') return votes;
  return compare(reduction === 'and' ? 'eq' : 'ne', votes, u32(0));
}

/**
 * The number of threads of `meet` whose vote is true: by a counter in shared memory that only
 * grows, so that it need not be cleared.
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

/** `bar.warp.sync membermask`. */
function lowerWarpBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, { scope: ['warp'], action: ['sync'] });
  word.need('action');
  const [mask] = operandsOf(instruction, lowering, 1);
  if (mask !== undefined) sync(lowering, maskedLanes(mask, lowering));
}

/**
 * `barrier.cluster.arrive` and `barrier.cluster.wait`: every block is a cluster by itself. Threads
 * synchronize at the wait, so accesses between arrive and wait are ordered too.
 */
function lowerClusterBarrier(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    scope: ['cluster'],
    action: ['arrive', 'wait'],
    order: ['release', 'relaxed', 'acquire'],
    aligned: ['aligned'],
  });
  const action = word.need('action');
  operandsOf(instruction, lowering, 0);
  const order = word.get('order');
  if (order !== undefined && (order === 'acquire') !== (action === 'wait')) {
    lowering.fail('P1003', `cannot translate ${mnemonic(instruction)} because it cannot be .${order}`);
  }
  if (action === 'wait') sync(lowering, block);
}

function sync(lowering: Lowering, coop: Coop): void {
  lowering.emit({ kind: 'sync', coop, span: lowering.span });
}
