import { binary, scalarType, type Coop, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { asWord, variable } from './build.ts';
import { exchange, maskedLanes } from './lanes.ts';
import { arriveAt, syncAt, type NamedMeeting } from './named-barrier.ts';
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
      lowering.fail('P2003', `cannot translate ${mnemonic(instruction)} because .${reduction} gives .${type}`);
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

/** The barrier and how many threads come to it. */
function named(instruction: PtxInstruction, lowering: Lowering): NamedMeeting {
  const number = operandAt(instruction, lowering, 0);
  const threads = operandAt(instruction, lowering, 1);
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

/** `bar.red.popc.u32 d, a, {!}p` and `bar.red.{and,or}.pred d, a, {!}p`, for a whole block. */
function lowerReduction(instruction: PtxInstruction, lowering: Lowering, reduction: string): void {
  if (operandsOf(instruction, lowering, 3, 4).length === 4) {
    lowering.fail(
      'P2001',
      `cannot translate ${mnemonic(instruction)} because a reduction over a part of a block is not supported`,
      'leave the number of threads out where the whole block takes part',
    );
  }
  const result = operandAt(instruction, lowering, 0);
  const vote = lowering.predicate(operandAt(instruction, lowering, 2));
  lowering.assign(
    result,
    reduction === 'popc'
      ? countVotes(lowering, vote)
      : exchange(lowering, reduction === 'and' ? 'all' : 'any', block, vote),
  );
}

/** How many threads of the block say yes: by a counter that only grows, so that nobody has to clear it. */
function countVotes(lowering: Lowering, vote: Expression): Expression {
  const counter = lowering.sharedWords('counted_votes', 1);
  const load = (name: string): Expression => {
    const { id, value } = variable(lowering, name, scalarType('u32'));
    lowering.emit({ kind: 'load', local: id, pointer: counter, span: lowering.span });
    return value;
  };
  const before = load('before');
  sync(lowering, block);
  const access = { order: 'relaxed', scope: 'block' } as const;
  lowering.emit({ kind: 'atomic', op: 'add', pointer: counter, value: asWord(vote), access, span: lowering.span });
  sync(lowering, block);
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
 * `barrier.cluster.arrive` and `barrier.cluster.wait`: every block is a cluster of its own. Threads meet where they wait, so
 * that what a thread does between arriving and waiting is ordered too.
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
