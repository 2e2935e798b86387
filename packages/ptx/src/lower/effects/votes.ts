import { binary, scalarType, select, unary, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { either, equal, not, or, set, u32, variable } from './build.ts';
import { eachLane, exchange, laneId, maskedLanes, membersOf, warp } from './lanes.ts';
import { operandAt, operandsOf, readWords, resultPair } from './read-words.ts';

/**
 * Lowers `vote.sync.{all,any,uni}.pred p, {!}a, membermask` and `vote.sync.ballot.b32 d, {!}a,
 * membermask`.
 */
export function lowerVote(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    sync: ['sync'],
    mode: ['all', 'any', 'uni', 'ballot'],
    type: ['pred', 'b32'],
  });
  word.need('sync');
  const mode = word.need('mode');
  const type = mode === 'ballot' ? 'b32' : 'pred';
  if (word.need('type') !== type) {
    lowering.fail('P2003', `${mnemonic(instruction)} must name .${type}, the type of .${mode}`);
  }
  operandsOf(instruction, lowering, 3);
  const vote = lowering.predicate(operandAt(instruction, lowering, 1));
  const coop = maskedLanes(operandAt(instruction, lowering, 2), lowering);
  lowering.assign(operandAt(instruction, lowering, 0), voteOf());

  function voteOf(): Expression {
    switch (mode) {
      case 'all':
        return exchange(lowering, 'all', coop, vote);
      case 'any':
        return exchange(lowering, 'any', coop, vote);
      case 'uni': {
        const all = exchange(lowering, 'all', coop, vote);
        return either(all, not(exchange(lowering, 'any', coop, vote)));
      }
      default:
        return exchange(lowering, 'ballot', coop, vote);
    }
  }
}

/** Lowers `match.any.sync.type d, a, membermask` and `match.all.sync.type d|p, a, membermask`. */
export function lowerMatch(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, { sync: ['sync'], mode: ['any', 'all'], type: ['b32', 'b64'] });
  word.need('sync');
  const mode = word.need('mode');
  const kind = word.need('type') === 'b64' ? 'u64' : 'u32';
  operandsOf(instruction, lowering, 3);
  const { value: result, predicate } = resultPair(operandAt(instruction, lowering, 0));
  const value = lowering.keep('value', lowering.value(operandAt(instruction, lowering, 1), kind));
  const coop = maskedLanes(operandAt(instruction, lowering, 2), lowering);
  const members = membersOf(lowering, coop);
  const same = variable(lowering, 'same', scalarType('u32'));
  lowering.emit(set(lowering, same, u32(0)));
  eachLane(lowering, coop, members, value, (seen) => [
    set(lowering, same, select(equal(seen.value, value), or(same.value, binary('shl', u32(1), seen.lane)), same.value)),
  ]);
  if (mode === 'any') {
    lowering.assign(result, same.value);
    return;
  }
  const areAll = lowering.keep('areAll', equal(same.value, members));
  lowering.assign(result, select(areAll, members, u32(0)));
  if (predicate !== undefined) lowering.assign(predicate, areAll);
}

/** Lowers `elect.sync d|p, membermask`. The leader is the first lane of the group. */
export function lowerElect(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, { sync: ['sync'] });
  word.need('sync');
  operandsOf(instruction, lowering, 2);
  const { value: result, predicate } = resultPair(operandAt(instruction, lowering, 0));
  const coop = maskedLanes(operandAt(instruction, lowering, 1), lowering);
  const leader = lowering.keep('leader', unary('ctz', membersOf(lowering, coop)));
  lowering.assign(result, leader);
  if (predicate !== undefined) lowering.assign(predicate, equal(laneId, leader));
}

/** Lowers `activemask.b32 d`. */
export function lowerActiveMask(instruction: PtxInstruction, lowering: Lowering): void {
  readWords(instruction, lowering, { type: ['b32'] });
  operandsOf(instruction, lowering, 1);
  lowering.assign(operandAt(instruction, lowering, 0), exchange(lowering, 'activeMask', warp));
}
