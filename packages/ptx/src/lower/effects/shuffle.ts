import { binary, bitcast, compare, scalarType, select, unary, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { add, and, or, sub, u32 } from './build.ts';
import { exchange, laneId, maskedLanes } from './lanes.ts';
import { operandAt, operandsOf, readWords, resultPair } from './read-words.ts';

/** The source lane of a lane's value. */
interface SourceLane {
  readonly lane: Expression;
  /** True if that lane is within the segment; otherwise a lane keeps its own value. */
  readonly inside: Expression;
}

/**
 * Lowers `shfl.sync.mode.b32 d|p, a, b, c, membermask`. Bits 8 to 12 of `c` select the segment of
 * the warp that contains a lane, and bits 0 to 4 its limit there.
 *
 * @see shfl.sync in the PTX ISA
 */
export function lowerShuffle(instruction: PtxInstruction, lowering: Lowering): void {
  const word = readWords(instruction, lowering, {
    sync: ['sync'],
    mode: ['up', 'down', 'bfly', 'idx'],
    type: ['b32'],
  });
  for (const slot of ['sync', 'mode', 'type'] as const) word.need(slot);
  operandsOf(instruction, lowering, 5);
  const { value: result, predicate } = resultPair(operandAt(instruction, lowering, 0));
  const value = lowering.value(operandAt(instruction, lowering, 1), 'u32');
  const distance = lowering.value(operandAt(instruction, lowering, 2), 'u32');
  const clamp = lowering.value(operandAt(instruction, lowering, 3), 'u32');
  const coop = maskedLanes(operandAt(instruction, lowering, 4), lowering);
  const { lane, inside } = sourceOf(word.get('mode'), distance, clamp);
  // The destination may be a source too, so everything is computed first.
  const isInside = lowering.keep('inside', inside);
  const got = exchange(lowering, 'shfl', coop, value, lowering.keep('source', select(isInside, lane, laneId)));
  lowering.assign(result, got);
  if (predicate !== undefined) lowering.assign(predicate, isInside);
}

function sourceOf(mode: string | undefined, operand: Expression, clamp: Expression): SourceLane {
  const by = and(operand, u32(31));
  const segment = and(binary('shr', clamp, u32(8)), u32(31));
  const within = unary('bitNot', segment);
  const first = and(laneId, segment);
  const last = or(first, and(and(clamp, u32(31)), within));
  if (mode === 'up') {
    // The numbers are signed, because a lane number below 0 is not a lane.
    const lane = sub(laneId, by);
    return { lane, inside: compare('ge', signed(lane), signed(last)) };
  }
  const lane =
    mode === 'down' ? add(laneId, by) : mode === 'bfly' ? binary('xor', laneId, by) : or(first, and(by, within));
  return { lane, inside: compare('le', lane, last) };
}

function signed(value: Expression): Expression {
  return bitcast(scalarType('i32'), value);
}
