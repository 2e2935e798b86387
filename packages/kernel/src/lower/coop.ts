import { ALL_LANES, WARP_SIZE } from '@nccl-ts/core';
import {
  binary,
  builtin,
  compare,
  constant,
  local,
  scalarType,
  unary,
  type Coop,
  type Expression,
  type Span,
} from '@nccl-ts/ir';
import { callReports } from '../diagnose/call-reports.ts';
import { waitReports } from '../diagnose/wait-reports.ts';
import { argument, checkCount } from './arguments.ts';
import { asCondition, asValue, assignTo } from './convert.ts';
import type { Lowering } from './lowering.ts';
import {
  describe,
  functionOperand,
  nothing,
  poison,
  valueOperand,
  type CallOperands,
  type FunctionOperand,
  type Operand,
  type RecordOperand,
} from './operand.ts';
import { emitCollective } from './collective.ts';
import { collectCondition } from './wait.ts';

export const coopMembers: readonly string[] = ['threadRank', 'size', 'sync', 'bcast', 'any', 'all', 'waitAll'];

/**
 * True if an author's object can serve as a group, because it has the three methods that NCCL
 * requires.
 */
export function isCustomCoop(operand: Operand): operand is RecordOperand {
  if (operand.kind !== 'record') return false;
  return ['threadRank', 'size', 'sync'].every((name) => operand.members.get(name)?.kind === 'function');
}

/** A method of a built-in group, or `undefined`. */
export function coopMember(l: Lowering, coop: Coop, name: string): FunctionOperand | undefined {
  switch (name) {
    case 'threadRank':
      return functionOperand(name, (call) => (checkCount(l, name, call, 0) ? valueOperand(threadRank(coop)) : poison));
    case 'size':
      return functionOperand(name, (call) => (checkCount(l, name, call, 0) ? valueOperand(size(coop)) : poison));
    case 'sync':
      return functionOperand(name, (call) => {
        if (!checkCount(l, name, call, 0)) return poison;
        requireMember(l, coop, call.span);
        // A single thread has no others to wait for.
        if (!(coop.kind === 'tile' && coop.size === 1)) l.emit({ kind: 'sync', coop, span: call.span });
        return nothing;
      });
    case 'bcast':
      return functionOperand(name, (call) => {
        if (!checkCount(l, name, call, 1, 3)) return poison;
        const entrySync = argument(call, 2);
        if (!isConstantFlag(entrySync.operand)) {
          return entrySync.operand.kind === 'poison'
            ? poison
            : l.report(
                callReports.argumentKind(
                  entrySync.span,
                  name,
                  'entrySync',
                  'true or false',
                  describe(entrySync.operand),
                ),
              );
        }
        const { operand, span } = argument(call, 0);
        const value = asValue(l, operand, span);
        const root = argument(call, 1);
        const lane =
          root.operand.kind === 'absent' ? constant('u32', 0) : assignTo(l, root.operand, scalarType('u32'), root.span);
        if (value === undefined || lane === undefined) return poison;
        if (value.type.kind === 'pointer' || value.type.kind === 'handle') {
          return l.report(callReports.argumentKind(span, name, 'value', 'a number', describe(operand)));
        }
        requireMember(l, coop, call.span);
        return emitCollective(l, { op: 'bcast', coop, value, lane, span: call.span });
      });
    case 'any':
    case 'all':
      return functionOperand(name, (call) => {
        if (!checkCount(l, name, call, 1)) return poison;
        const { operand, span } = argument(call, 0);
        const value = asCondition(l, operand, span);
        requireMember(l, coop, call.span);
        return value === undefined ? poison : emitCollective(l, { op: name, coop, value, span: call.span });
      });
    case 'waitAll':
      return functionOperand(name, (call) => lowerWaitAll(l, coop, call));
    default:
      return undefined;
  }
}

/** Returns an optional boolean argument. */
function isConstantFlag(operand: Operand): boolean {
  return operand.kind === 'absent' || (operand.kind === 'literal' && typeof operand.literal === 'boolean');
}

/**
 * Lowers `waitAll` for an author's own group. Its threads share the indices, as in NCCL's barriers.
 * Each waits for its own, and then the group synchronizes.
 */
export function customCoopMember(l: Lowering, coop: RecordOperand, name: string): FunctionOperand | undefined {
  if (name !== 'waitAll') return undefined;
  return functionOperand(name, (call) => {
    const given = waitAllArguments(l, call);
    if (given === undefined) return poison;
    const rank = callMember(l, coop, 'threadRank', call);
    const stride = callMember(l, coop, 'size', call);
    if (rank === undefined || stride === undefined) return poison;
    const index = l.newLocal('i', scalarType('u32'), call.span);
    const i = local(index, scalarType('u32'));
    const { span } = call;
    l.emit({ kind: 'assign', local: index, value: rank, span });
    const { body } = l.collect(() => {
      const wait = collectCondition(l, given.condition, [{ operand: valueOperand(i), span }], span);
      if (wait !== undefined) l.emit({ kind: 'wait', ...wait, span });
    });
    const step = binary('add', i, stride);
    l.emit({
      kind: 'loop',
      condition: compare('lt', i, given.count),
      body,
      update: [{ kind: 'assign', local: index, value: step, span }],
      span,
    });
    const meet = coop.members.get('sync');
    if (meet?.kind === 'function') meet.call({ args: [], span, discard: true });
    return nothing;
  });
}

function callMember(l: Lowering, coop: RecordOperand, name: string, call: CallOperands): Expression | undefined {
  const member = coop.members.get(name);
  if (member?.kind !== 'function') return undefined;
  const answer = member.call({ args: [], span: call.span, discard: false });
  return assignTo(l, answer, scalarType('u32'), call.span);
}

function lowerWaitAll(l: Lowering, coop: Coop, call: CallOperands): Operand {
  const given = waitAllArguments(l, call);
  if (given === undefined) return poison;
  const { span } = call;
  requireMember(l, coop, span);
  const index = l.resultLocal('i', scalarType('u32'), span);
  const wait = collectCondition(l, given.condition, [{ operand: valueOperand(index), span }], span, {
    own: index.local,
  });
  if (wait !== undefined) l.emit({ kind: 'waitAll', coop, count: given.count, index: index.local, ...wait, span });
  return nothing;
}

function waitAllArguments(
  l: Lowering,
  call: CallOperands,
): { count: Expression; condition: FunctionOperand } | undefined {
  if (!checkCount(l, 'waitAll', call, 2)) return undefined;
  const n = argument(call, 0);
  const count = assignTo(l, n.operand, scalarType('u32'), n.span);
  const condition = argument(call, 1);
  if (condition.operand.kind !== 'function') {
    if (condition.operand.kind !== 'poison') l.report(waitReports.notAFunction(condition.span, 'waitAll'));
    return undefined;
  }
  return count && { count, condition: condition.operand };
}

/** A thread that calls a collective of a group must be in it. Otherwise nothing is defined. */
function requireMember(l: Lowering, coop: Coop, span: Span): void {
  const isMember = memberCondition(coop);
  if (isMember === undefined) return;
  const message =
    coop.kind === 'lanes'
      ? 'a lane that is not in the mask of its group calls this: let only those lanes come here, or name all that do'
      : 'a thread outside of its span of warps calls this: let only those warps come here';
  l.emit({ kind: 'assert', condition: isMember, message, contract: true, span });
}

/** The condition for the calling thread to be in the group; `undefined` if it always is. */
function memberCondition(coop: Coop): Expression | undefined {
  if (coop.kind === 'warpSpan') return compare('lt', threadRank(coop), size(coop));
  if (coop.kind !== 'lanes' || (coop.mask.kind === 'constant' && coop.mask.value === ALL_LANES)) return undefined;
  return compare('ne', binary('and', binary('shr', coop.mask, laneId), u32(1)), u32(0));
}

const u32 = (value: number): Expression => constant('u32', value);
const laneId: Expression = builtin('laneId');
const thread: Expression = builtin('threadLinear');

function threadRank(coop: Coop): Expression {
  switch (coop.kind) {
    case 'cta':
      return thread;
    case 'tile':
      return coop.size === 1 ? u32(0) : coop.size === WARP_SIZE ? laneId : binary('and', laneId, u32(coop.size - 1));
    case 'lanes': {
      const below = binary('sub', binary('shl', u32(1), laneId), u32(1));
      return unary('popcount', binary('and', coop.mask, below));
    }
    case 'warpSpan':
      return binary('sub', thread, binary('mul', coop.first, u32(WARP_SIZE)));
  }
}

function size(coop: Coop): Expression {
  switch (coop.kind) {
    case 'cta':
      return builtin('blockThreads');
    case 'tile':
      return u32(coop.size);
    case 'lanes':
      return unary('popcount', coop.mask);
    case 'warpSpan':
      return binary('mul', coop.count, u32(WARP_SIZE));
  }
}
