import { memoryScopes, scalarKinds, WARP_SIZE } from '@nccl-ts/core';
import { builtin, countPlaceholders, scalarType, vectorType, type Builtin, type Expression } from '@nccl-ts/ir';
import { vectorProblem } from '../author/param-type.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { usageOf } from '../diagnose/usage.ts';
import { waitReports } from '../diagnose/wait-reports.ts';
import { argument, checkCount, constantInteger, typeArgument, wordArgument } from './arguments.ts';
import { fenceFabric } from './fence-fabric.ts';
import { arithmeticBuiltins } from './builtin-arithmetic.ts';
import { asCondition, asValue, assignTo } from './convert.ts';
import { isCustomCoop } from './coop.ts';
import { coopQueries } from './coop-queries.ts';
import { emitCollective } from './collective.ts';
import type { Lowering } from './lowering.ts';
import { checkElement, orderArgument } from './memory.ts';
import {
  describe,
  functionOperand,
  nothing,
  poison,
  recordOperand,
  valueOperand,
  type CallOperands,
  type Operand,
} from './operand.ts';

import { gridDependencySync, launchDependents } from './grid-dependency.ts';
import { collectCondition } from './wait.ts';

/**
 * The most elements of an array. A CTA has kilobytes of shared memory, so a longer array is a
 * mistake.
 */
const MAX_ARRAY_LENGTH = 1 << 20;
/** The most iterations of an unrolled loop. A longer one is a mistake too. */
const MAX_UNROLL = 4096;
const warp = { kind: 'tile', size: WARP_SIZE } as const;

/** Returns the built-in `name`, which is one of `builtinNames`. */
export function builtinOperand(l: Lowering, name: string): Operand {
  const kind = scalarKinds.find((known) => known === name);
  if (kind !== undefined) return { kind: 'type', type: scalarType(kind) };
  const index = indexBuiltins[name];
  if (index !== undefined)
    return recordOperand(
      name,
      index.map((axis): [string, Operand] => [axis.slice(-1), valueOperand(builtin(axis))]),
    );
  if (name === 'warpSize') return valueOperand(builtin('warpSize'));
  if (name === 'laneId') return valueOperand(builtin('laneId'));
  const arithmetic = arithmeticBuiltins(l)[name];
  if (arithmetic !== undefined) return arithmetic;
  const lower = functions[name];
  return lower === undefined ? poison : functionOperand(name, (call) => lower(l, call));
}

const indexBuiltins: Readonly<Record<string, readonly Builtin[]>> = {
  threadIdx: ['threadIdx.x', 'threadIdx.y', 'threadIdx.z'],
  blockIdx: ['blockIdx.x', 'blockIdx.y', 'blockIdx.z'],
  blockDim: ['blockDim.x', 'blockDim.y', 'blockDim.z'],
  gridDim: ['gridDim.x', 'gridDim.y', 'gridDim.z'],
};

const functions: Readonly<Record<string, (l: Lowering, call: CallOperands) => Operand>> = {
  ...coopQueries,
  vec: (l, call) => {
    if (!checkCount(l, 'vec', call, 2)) return poison;
    const element = typeArgument(l, 'vec', argument(call, 0));
    const width = constantInteger(l, 'the width of a vector', argument(call, 1).operand, argument(call, 1).span);
    if (element === undefined || width === undefined) return poison;
    if (element.kind === 'vector') return l.report(typeReports.vectorType(call.span, 'its element is a vector'));
    const problem = vectorProblem(element.scalar, width);
    if (problem !== undefined) return l.report(typeReports.vectorType(call.span, problem));
    return { kind: 'type', type: vectorType(element.scalar, width) };
  },
  coopThread: (l, call) => tile(l, 'coopThread', call, 1),
  coopWarp: (l, call) => tile(l, 'coopWarp', call, WARP_SIZE),
  coopCta: (l, call) => (checkCount(l, 'coopCta', call, 0) ? { kind: 'coop', coop: { kind: 'cta' } } : poison),
  coopTile: (l, call) => {
    if (!checkCount(l, 'coopTile', call, 1)) return poison;
    const { operand, span } = argument(call, 0);
    const size = constantInteger(l, 'the size of a tile', operand, span);
    if (size === undefined) return poison;
    if (![1, 2, 4, 8, 16, 32].includes(size)) return l.report(waitReports.tileSize(span, String(size)));
    return { kind: 'coop', coop: { kind: 'tile', size } };
  },
  coopLanes: (l, call) => {
    if (!checkCount(l, 'coopLanes', call, 1)) return poison;
    const mask = u32Argument(l, call, 0, 'mask');
    return mask === undefined ? poison : { kind: 'coop', coop: { kind: 'lanes', mask } };
  },
  coopWarpSpan: (l, call) => {
    if (!checkCount(l, 'coopWarpSpan', call, 3)) return poison;
    const first = u32Argument(l, call, 0, 'warp0');
    const count = u32Argument(l, call, 1, 'nWarps');
    const id = u32Argument(l, call, 2, 'id');
    if (first === undefined || count === undefined || id === undefined) return poison;
    if (id.kind === 'constant' && Number(id.value) > 15)
      return l.report(waitReports.spanId(argument(call, 2).span, String(id.value)));
    return { kind: 'coop', coop: { kind: 'warpSpan', first, count, id } };
  },
  coopAny: (l, call) => {
    if (!checkCount(l, 'coopAny', call, 1)) return poison;
    const { operand, span } = argument(call, 0);
    if (operand.kind === 'coop' || operand.kind === 'poison' || isCustomCoop(operand)) return operand;
    return l.report(waitReports.notAGroup(span, describe(operand)));
  },
  fence: (l, call) => {
    if (!checkCount(l, 'fence', call, 1, 2)) return poison;
    const order = orderArgument(l, 'fence', argument(call, 0), ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst']);
    const scope = wordArgument(l, 'fence', 'scope', argument(call, 1), memoryScopes, 'system');
    // A relaxed fence orders nothing.
    if (order !== undefined && scope !== undefined && order !== 'relaxed')
      l.emit({ kind: 'fence', access: { order, scope }, span: call.span });
    return nothing;
  },
  fenceProxy: (l, call) => {
    if (!checkCount(l, 'fenceProxy', call, 1, 5)) return poison;
    const proxy = wordArgument(l, 'fenceProxy', 'proxy', argument(call, 0), ['alias', 'fabric']);
    if (proxy === 'fabric') return fenceFabric(l, call);
    if (!checkCount(l, 'fenceProxy', call, 1)) return poison;
    if (proxy === 'alias') l.emit({ kind: 'fenceProxy', proxy, span: call.span });
    return nothing;
  },
  launchDependents: (l, call) => launchDependents(l, call),
  gridDependencySync: (l, call) => gridDependencySync(l, call),
  waitUntil: (l, call) => {
    if (!checkCount(l, 'waitUntil', call, 1)) return poison;
    const { operand, span } = argument(call, 0);
    if (operand.kind !== 'function')
      return operand.kind === 'poison' ? poison : l.report(waitReports.notAFunction(span, 'waitUntil'));
    const wait = collectCondition(l, operand, [], call.span, { keeps: true });
    if (wait !== undefined) l.emit({ kind: 'wait', ...wait, span: call.span });
    return nothing;
  },
  shfl: (l, call) => shuffle(l, 'shfl', 'lane', call),
  shflUp: (l, call) => shuffle(l, 'shflUp', 'delta', call),
  shflDown: (l, call) => shuffle(l, 'shflDown', 'delta', call),
  shflXor: (l, call) => shuffle(l, 'shflXor', 'mask', call),
  ballot: (l, call) => vote(l, 'ballot', call),
  any: (l, call) => vote(l, 'any', call),
  all: (l, call) => vote(l, 'all', call),
  sharedArray: (l, call) => newArray(l, 'shared', call),
  localArray: (l, call) => newArray(l, 'local', call),
  unroll: (l, call) => {
    if (!checkCount(l, 'unroll', call, 1)) return poison;
    const { operand, span } = argument(call, 0);
    const count = constantInteger(l, 'the count of unroll(n)', operand, span);
    if (count === undefined) return poison;
    if (count > MAX_UNROLL) return l.report(callReports.tooLarge(span, 'unroll(n)', MAX_UNROLL));
    return { kind: 'unroll', count: Math.max(0, count) };
  },
  clock: (l, call) => {
    if (!checkCount(l, 'clock', call, 0)) return poison;
    const result = l.resultLocal('clock', scalarType('u64'), call.span);
    l.emit({ kind: 'clock', local: result.local, span: call.span });
    return valueOperand(result);
  },
  assert: (l, call) => emitAssert(l, call, 'assert', 'assertion failed', undefined),
  requires: (l, call) => emitAssert(l, call, 'requires', 'the caller broke a rule', true),
  print: (l, call) => {
    const args: (string | Expression)[] = [];
    for (const { operand, span } of call.args) {
      if (operand.kind === 'word') args.push(operand.word);
      else if (operand.kind === 'literal') args.push(String(operand.literal));
      else {
        const value = asValue(l, operand, span);
        if (value?.type.kind === 'handle' || value?.type.kind === 'pointer') {
          l.report(callReports.argumentKind(span, 'print', 'part', 'a string or a number', describe(operand)));
        } else if (value !== undefined) args.push(value);
      }
    }
    l.emit({ kind: 'print', args, span: call.span });
    return nothing;
  },
};

/** Lowers `assert` and `requires`. */
function emitAssert(
  l: Lowering,
  call: CallOperands,
  name: 'assert' | 'requires',
  unnamed: string,
  contract: true | undefined,
): Operand {
  if (!checkCount(l, name, call, 1, contract ? Infinity : 2)) return poison;
  const condition = asCondition(l, argument(call, 0).operand, argument(call, 0).span);
  const text = argument(call, 1);
  if (text.operand.kind !== 'word' && text.operand.kind !== 'absent') {
    return text.operand.kind === 'poison'
      ? poison
      : l.report(callReports.argumentKind(text.span, name, 'text', 'a string', describe(text.operand)));
  }
  const message = text.operand.kind === 'word' ? text.operand.word : unnamed;
  const values = contract ? messageValues(l, call, name, message) : [];
  if (condition === undefined || values === undefined) return nothing;
  const statement = { kind: 'assert', condition, message, span: call.span } as const;
  const reported = values.length === 0 ? {} : { values };
  l.emit(contract ? { ...statement, ...reported, contract } : statement);
  return nothing;
}

/** The numbers that replace each `{}` in the text of `requires`. */
function messageValues(
  l: Lowering,
  call: CallOperands,
  name: string,
  message: string,
): readonly Expression[] | undefined {
  const given = call.args.slice(2);
  if (given.length === 0) return [];
  const placeholders = countPlaceholders(message);
  if (given.length !== placeholders) {
    const allowed = `a value for each {} of its text (${placeholders})`;
    l.report(callReports.argumentCount(call.span, name, given.length, allowed, usageOf(name)));
    return undefined;
  }
  const values = given.map(({ operand, span }) => {
    const value = asValue(l, operand, span);
    if (value === undefined || value.type.kind === 'scalar') return value;
    l.report(callReports.argumentKind(span, name, 'value', 'a number', describe(operand)));
    return undefined;
  });
  return values.every((value) => value !== undefined) ? values : undefined;
}

function tile(l: Lowering, name: string, call: CallOperands, size: number): Operand {
  return checkCount(l, name, call, 0) ? { kind: 'coop', coop: { kind: 'tile', size } } : poison;
}

function u32Argument(l: Lowering, call: CallOperands, index: number, name: string): Expression | undefined {
  const { operand, span } = argument(call, index);
  const value = assignTo(l, operand, scalarType('u32'), span);
  return value && l.keep(valueOperand(value), name, span).value;
}

function shuffle(
  l: Lowering,
  op: 'shfl' | 'shflUp' | 'shflDown' | 'shflXor',
  param: string,
  call: CallOperands,
): Operand {
  if (!checkCount(l, op, call, 2)) return poison;
  const { operand, span } = argument(call, 0);
  const value = asValue(l, operand, span);
  const lane = u32Argument(l, call, 1, param);
  if (value === undefined || lane === undefined) return poison;
  if (value.type.kind === 'pointer' || value.type.kind === 'handle') {
    return l.report(callReports.argumentKind(span, op, 'value', 'a number', describe(operand)));
  }
  return emitCollective(l, { op, coop: warp, value, lane, span: call.span });
}

function vote(l: Lowering, op: 'ballot' | 'any' | 'all', call: CallOperands): Operand {
  if (!checkCount(l, op, call, 1)) return poison;
  const { operand, span } = argument(call, 0);
  const value = asCondition(l, operand, span);
  return value === undefined ? poison : emitCollective(l, { op, coop: warp, value, span: call.span });
}

function newArray(l: Lowering, space: 'shared' | 'local', call: CallOperands): Operand {
  const name = `${space}Array`;
  if (!checkCount(l, name, call, 2)) return poison;
  const element = typeArgument(l, name, argument(call, 0));
  const { operand, span } = argument(call, 1);
  const length = constantInteger(l, 'the length of an array', operand, span);
  if (element === undefined || length === undefined) return poison;
  if (!checkElement(l, element, argument(call, 0).span)) return poison;
  if (length < 1) return l.report(typeReports.arrayLength(span, String(length)));
  if (length > MAX_ARRAY_LENGTH)
    return l.report(callReports.tooLarge(span, 'the length of an array', MAX_ARRAY_LENGTH));
  return valueOperand(l.newArray({ name, space, element, length, span: call.span }));
}
