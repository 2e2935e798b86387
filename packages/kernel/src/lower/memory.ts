import { memoryScopes, scalarInfo, type MemoryOrder } from '@nccl-ts/core';
import {
  atomicMeaning,
  binary,
  constant,
  convert,
  pointerCast,
  pointerOffset,
  scalarType,
  typeName,
  type AtomicAccess,
  type AtomicOp,
  type Expression,
  type PointerType,
  type Span,
} from '@nccl-ts/ir';
import type { AtomicMethodTable } from '../author/atomic-method.ts';
import { callReports } from '../diagnose/call-reports.ts';
import { typeReports } from '../diagnose/type-reports.ts';
import { argument, checkCount, constantInteger, typeArgument, wordArgument } from './arguments.ts';
import { asValue, assignTo } from './convert.ts';
import { loadElements, storeElements } from './vector-access.ts';
import type { Lowering } from './lowering.ts';
import {
  functionOperand,
  nothing,
  poison,
  valueOperand,
  type Argument,
  type CallOperands,
  type Operand,
} from './operand.ts';
import type { SpannedOperand } from './operand.ts';

const MAX_ALIGNMENT = 2 ** 31;
const loadOrders: readonly MemoryOrder[] = ['relaxed', 'acquire', 'seq_cst'];
const storeOrders: readonly MemoryOrder[] = ['relaxed', 'release', 'seq_cst'];
const allOrders: readonly MemoryOrder[] = ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'];

/** An operand that is known to be a pointer. */
export interface PointerOperand {
  readonly value: Expression;
  readonly type: PointerType;
}

export function pointerOf(operand: Operand): PointerOperand | undefined {
  if (operand.kind !== 'value') return undefined;
  const { type } = operand.value;
  return type.kind === 'pointer' ? { value: operand.value, type } : undefined;
}

/** Returns `pointer` moved by `index` elements. */
export function elementAt(l: Lowering, pointer: PointerOperand, index: SpannedOperand): Expression | undefined {
  const at = indexValue(l, index);
  if (at === undefined) return undefined;
  const { value } = pointer;
  if (at.kind === 'constant') {
    if (value.kind === 'array') {
      const declaration = l.arrays[value.array];
      const known = Number(at.value);
      if (declaration !== undefined && (known < 0 || known >= declaration.length)) {
        l.report(typeReports.arrayIndex(index.span, String(known), declaration.length));
        return undefined;
      }
    }
    if (Number(at.value) === 0) return value;
  }
  return pointerOffset(value, at, index.span);
}

/**
 * Lowers an index, which may be any integer. A literal becomes an i32, or an i64 if it does not
 * fit.
 */
export function indexValue(l: Lowering, { operand, span }: SpannedOperand): Expression | undefined {
  if (operand.kind === 'literal' && typeof operand.literal !== 'boolean') {
    const { literal } = operand;
    if (typeof literal === 'number' && !Number.isInteger(literal)) {
      l.report(typeReports.index(span, `the fraction ${literal}`));
      return undefined;
    }
    const exact = BigInt(literal);
    if (BigInt.asIntN(32, exact) === exact) return constant('i32', Number(exact), span);
    return assignTo(l, operand, scalarType('i64'), span);
  }
  const value = asValue(l, operand, span);
  if (value === undefined) return undefined;
  if (value.type.kind !== 'scalar') {
    l.report(typeReports.index(span, typeName(value.type)));
    return undefined;
  }
  switch (scalarInfo[value.type.scalar].class) {
    case 'int':
      return value;
    case 'addr':
      return convert(scalarType('i64'), value, span);
    default:
      l.report(typeReports.index(span, value.type.scalar));
      return undefined;
  }
}

/** A plain read. */
export function loadFrom(
  l: Lowering,
  pointer: Expression,
  type: PointerType,
  span: Span,
  access?: AtomicAccess,
): Operand {
  const result = l.resultLocal('v', type.element, span);
  l.emit({ kind: 'load', local: result.local, pointer, span, ...(access === undefined ? {} : { access }) });
  return valueOperand(result);
}

export function storeTo(l: Lowering, pointer: Expression, value: Expression, span: Span, access?: AtomicAccess): void {
  l.emit({ kind: 'store', pointer, value, span, ...(access === undefined ? {} : { access }) });
}

const atomicOps: AtomicMethodTable<AtomicOp> = {
  atomicAdd: 'add',
  atomicSub: 'sub',
  atomicMin: 'min',
  atomicMax: 'max',
  atomicAnd: 'and',
  atomicOr: 'or',
  atomicXor: 'xor',
  atomicExch: 'exch',
  atomicCas: 'cas',
};
const opsByMember: Readonly<Record<string, AtomicOp>> = atomicOps;

/** The atomic operations that floats support. */
const ofFloats: Readonly<Record<AtomicOp, boolean>> = {
  add: true,
  sub: false,
  min: false,
  max: false,
  and: false,
  or: false,
  xor: false,
  exch: true,
  cas: false,
};

export const pointerMembers: readonly string[] = [
  'load',
  'store',
  'offset',
  'cast',
  'space',
  'misalignment',
  ...Object.keys(atomicOps),
];

/** A method of a pointer, or `undefined`. */
export function pointerMember(l: Lowering, pointer: PointerOperand, name: string): Operand | undefined {
  switch (name) {
    case 'space':
      return { kind: 'word', word: pointer.type.space };
    case 'misalignment':
      return functionOperand('misalignment', (call) => lowerMisalignment(l, pointer, call));
    case 'load':
      return functionOperand('load', (call) => lowerLoad(l, pointer, call));
    case 'store':
      return functionOperand('store', (call) => lowerStore(l, pointer, call));
    case 'offset':
      return functionOperand('offset', (call) => {
        if (!checkCount(l, 'offset', call, 1)) return poison;
        const moved = elementAt(l, pointer, argument(call, 0));
        return moved === undefined ? poison : valueOperand(moved);
      });
    case 'cast':
      return functionOperand('cast', (call) => {
        if (!checkCount(l, 'cast', call, 1)) return poison;
        const element = typeArgument(l, 'cast', argument(call, 0));
        if (element === undefined) return poison;
        if (!checkElement(l, element, argument(call, 0).span)) return poison;
        return valueOperand(pointerCast(element, pointer.value, call.span));
      });
    default: {
      const op = Object.hasOwn(opsByMember, name) ? opsByMember[name] : undefined;
      return op && functionOperand(name, (call) => lowerAtomic(l, pointer, op, name, call));
    }
  }
}

/** Reports an element type that memory cannot hold. */
export function checkElement(l: Lowering, element: PointerType['element'], span: Span): boolean {
  if (element.kind === 'vector' || (element.scalar !== 'bool' && element.scalar !== 'addr')) return true;
  l.report(typeReports.arrayElement(span, element.scalar));
  return false;
}

/** Lowers `misalignment`: the address modulo `bytes`, as a u32. */
function lowerMisalignment(l: Lowering, pointer: PointerOperand, call: CallOperands): Operand {
  if (!checkCount(l, 'misalignment', call, 1)) return poison;
  const { operand, span } = argument(call, 0);
  const bytes = constantInteger(l, 'an alignment', operand, span);
  if (bytes === undefined) return poison;
  // The low 32 bits of an address are enough for this.
  if (bytes < 1 || bytes > MAX_ALIGNMENT || !Number.isInteger(Math.log2(bytes)))
    return l.report(typeReports.alignment(span, bytes));
  const low = convert(scalarType('u32'), pointer.value, call.span);
  return valueOperand(binary('and', low, constant('u32', bytes - 1), call.span));
}

function lowerLoad(l: Lowering, pointer: PointerOperand, call: CallOperands): Operand {
  if (!checkCount(l, 'load', call, 1, 3)) return poison;
  const at = elementAt(l, pointer, argument(call, 0));
  const access = accessOf(l, 'a load', call, 1, pointer.type, loadOrders);
  if (at === undefined || access === undefined) return poison;
  if (access !== 'plain' && pointer.type.element.kind === 'vector') {
    return valueOperand(loadElements(l, at, pointer.type.element, call.span, access));
  }
  return loadFrom(l, at, pointer.type, call.span, access === 'plain' ? undefined : access);
}

function lowerStore(l: Lowering, pointer: PointerOperand, call: CallOperands): Operand {
  if (!checkCount(l, 'store', call, 2, 4)) return poison;
  const at = elementAt(l, pointer, argument(call, 0));
  const { operand, span } = argument(call, 1);
  const value = assignTo(l, operand, pointer.type.element, span);
  const access = accessOf(l, 'a store', call, 2, pointer.type, storeOrders);
  if (at === undefined || value === undefined || access === undefined) return poison;
  if (access !== 'plain' && pointer.type.element.kind === 'vector') {
    storeElements(l, at, value, pointer.type.element, call.span, access);
  } else storeTo(l, at, value, call.span, access === 'plain' ? undefined : access);
  return nothing;
}

/**
 * Reads the order and the scope from argument `first` on. Without an order the access is `'plain'`.
 */
function accessOf(
  l: Lowering,
  what: string,
  call: CallOperands,
  first: number,
  type: PointerType,
  orders: readonly MemoryOrder[],
): AtomicAccess | 'plain' | undefined {
  if (argument(call, first).operand.kind === 'absent') return 'plain';
  const order = orderArgument(l, what, argument(call, first), orders);
  const scope = wordArgument(l, what, 'scope', argument(call, first + 1), memoryScopes, 'system');
  if (order === undefined || scope === undefined) return undefined;
  if (type.element.kind === 'vector' && order !== 'relaxed') {
    l.report(typeReports.atomicType(call.span, 'an ordered access', typeName(type.element)));
    return undefined;
  }
  return { order, scope };
}

/** Reads an order. It must be one of those allowed for this access. */
export function orderArgument(
  l: Lowering,
  what: string,
  given: Argument,
  allowed: readonly MemoryOrder[],
  otherwise?: MemoryOrder,
): MemoryOrder | undefined {
  const order = wordArgument(l, what, 'order', given, allOrders, otherwise);
  if (order === undefined || allowed.includes(order)) return order;
  l.report(typeReports.orderNotAllowed(given.span, what, order, allowed));
  return undefined;
}

function lowerAtomic(l: Lowering, pointer: PointerOperand, op: AtomicOp, name: string, call: CallOperands): Operand {
  const cas = atomicMeaning[op].kind === 'compare';
  const last = cas ? 3 : 2;
  if (!checkCount(l, name, call, last, last + 2)) return poison;
  const { element } = pointer.type;
  const at = elementAt(l, pointer, argument(call, 0));
  if (element.kind !== 'scalar' || !supports(op, element.scalar)) {
    return l.report(typeReports.atomicType(call.span, name, typeName(element)));
  }
  const first = argument(call, 1);
  const second = argument(call, 2);
  const expected = cas ? assignTo(l, first.operand, element, first.span) : undefined;
  const value = cas
    ? assignTo(l, second.operand, element, second.span)
    : assignTo(l, first.operand, element, first.span);
  const order = orderArgument(l, name, argument(call, last), allOrders, 'seq_cst');
  const scope = wordArgument(l, name, 'scope', argument(call, last + 1), memoryScopes, 'system');
  if (
    at === undefined ||
    value === undefined ||
    (cas && expected === undefined) ||
    order === undefined ||
    scope === undefined
  ) {
    return poison;
  }
  const before = call.discard ? undefined : l.resultLocal('before', element, call.span);
  l.emit({
    kind: 'atomic',
    op,
    pointer: at,
    value,
    access: { order, scope },
    span: call.span,
    ...(before === undefined ? {} : { local: before.local }),
    ...(expected === undefined ? {} : { expected }),
  });
  return before === undefined ? nothing : valueOperand(before);
}

function supports(op: AtomicOp, kind: keyof typeof scalarInfo): boolean {
  switch (kind) {
    case 'i32':
    case 'u32':
    case 'i64':
    case 'u64':
      return true;
    case 'f32':
    case 'f64':
      return ofFloats[op];
    default:
      return false;
  }
}

/** An operand that is not indexed, for messages. */
export function reportUnknownPointerMember(l: Lowering, span: Span, name: string): Operand {
  return l.report(callReports.unknownMember(span, 'a pointer', name, pointerMembers));
}
