import { ALL_LANES, WARP_SIZE } from '@nccl-ts/core';
import {
  builtin,
  constant,
  scalarType,
  select,
  type CollectiveOp,
  type Coop,
  type Expression,
  type Statement,
} from '@nccl-ts/ir';
import type { PtxOperand } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { hasBit, count, set, u32, variable, when, type Variable } from './build.ts';

export const laneId: Expression = builtin('laneId');

const truth = constant('bool', true);

/** A whole warp. */
export const warp: Coop = Object.freeze({ kind: 'tile', size: 32 });

/** The threads that a membermask names. */
export function maskedLanes(mask: PtxOperand, lowering: Lowering): Coop {
  const value = lowering.value(mask, 'u32');
  if (value.kind === 'constant' && value.value === ALL_LANES) return warp;
  const kept = lowering.keep('mask', value);
  lowering.emit({
    kind: 'assert',
    condition: hasBit(kept, laneId),
    message: 'a lane that the mask of the instruction does not name executes it, which is undefined',
    span: lowering.span,
  });
  return { kind: 'lanes', mask: kept };
}

/** Emits an exchange between lanes, and returns its result. */
export function exchange(
  lowering: Lowering,
  op: CollectiveOp,
  coop: Coop,
  value?: Expression,
  lane?: Expression,
): Expression {
  const result = variable(lowering, op, resultType(op, value));
  lowering.emit(exchangeInto(lowering, result, op, coop, value, lane));
  return result.value;
}

function resultType(op: CollectiveOp, value: Expression | undefined): Expression['type'] {
  if (op === 'any' || op === 'all') return scalarType('bool');
  return op === 'ballot' || op === 'activeMask' || value === undefined ? scalarType('u32') : value.type;
}

export function exchangeInto(
  { span }: Lowering,
  result: Variable,
  op: CollectiveOp,
  coop: Coop,
  value: Expression | undefined,
  lane: Expression | undefined,
): Statement {
  return {
    kind: 'collective',
    op,
    coop,
    local: result.id,
    ...(value === undefined ? {} : { value }),
    ...(lane === undefined ? {} : { lane }),
    span,
  };
}

/** The value that a lane reads from another lane. */
export interface SeenLane {
  /** The index of the other lane. */
  readonly lane: Expression;
  /** The value that it contributed. */
  readonly value: Expression;
}

/**
 * Emits a loop over the lanes of a group that exist in the block. `see` emits the work of each
 * member for each contributed value.
 */
export function eachLane(
  lowering: Lowering,
  coop: Coop,
  members: Expression,
  value: Expression,
  see: (seen: SeenLane) => readonly Statement[],
): void {
  const lane = variable(lowering, 'lane', scalarType('u32'));
  const seen = variable(lowering, 'seen', value.type);
  lowering.emit(set(lowering, lane, u32(0)));
  lowering.emit(
    count(lowering, lane, u32(WARP_SIZE), [
      // A lane that takes no part has no value, so each takes its own there.
      exchangeInto(lowering, seen, 'shfl', coop, value, select(hasBit(members, lane.value), lane.value, laneId)),
      when(lowering, hasBit(members, lane.value), see({ lane: lane.value, value: seen.value })),
    ]),
  );
}

/** Emits a vote, with a bit for each lane of the group that takes part. */
export function membersOf(lowering: Lowering, coop: Coop): Expression {
  return exchange(lowering, 'ballot', coop, truth);
}
