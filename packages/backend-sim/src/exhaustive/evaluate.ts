import { at, scalarInfo } from '@nccl-ts/core';
import type { FaultKind } from '@nccl-ts/findings';
import {
  bitcastBytes,
  elementScalar,
  isFault,
  scalarBinary,
  scalarCompare,
  scalarConvert,
  scalarMath,
  scalarUnary,
  valueBytes,
  valueWidth,
  type Builtin,
  type Expression,
  type ScalarFault,
  type ScalarValue,
  type Type,
} from '@nccl-ts/ir';
import { after, Deferred, known } from '@nccl-ts/memory-model';
import type { PointerValue } from '../memory/address-space.ts';
import { strayBase, type ArgValue, type Regions, noLaneText } from '@nccl-ts/codegen';
import { force, isElements, isPointer, lift, type Element, type Value } from './element.ts';
import { ThreadFault, Unsupported } from './thread-fault.ts';

/** The scope in which one thread evaluates expressions. */
export interface Scope {
  readonly locals: readonly Value[];
  readonly args: readonly ArgValue[];
  readonly builtins: Readonly<Record<Builtin, number>>;
  readonly regions: Regions;
  /** Converts a device address to a pointer for the thread's rank, and back. */
  readonly pointerAt: (address: number) => PointerValue;
  readonly addressOf: (pointer: PointerValue) => number;
  /** The start of each array: its address and region. */
  readonly arrays: readonly PointerValue[];
}

/**
 * Evaluates an expression in one thread. A number that depends on an undecided read stays undecided
 * if only numbers depend on it. Addresses, divisors, and conditions that select something that may
 * fault must be known.
 *
 * @throws NeedsValue if a required value is not known yet; ThreadFault
 */
export function evaluate(e: Expression, scope: Scope): Value {
  switch (e.kind) {
    case 'constant':
      // The same NaN as a literal in generated code, whatever it was computed from.
      return [Number.isNaN(e.value) ? NaN : e.value];
    case 'local':
      return at(scope.locals, e.local);
    case 'param':
      return argument(scope.args[e.param], e.type);
    case 'array':
      return scope.arrays[e.array] ?? NULL;
    case 'builtin':
      return [scope.builtins[e.builtin]];
    case 'field':
      return field(e, scope);
    case 'unary': {
      const kind = kindOf(e.type);
      return elements(e.operand, scope).map((a) => lift([a], (values) => scalarUnary(e.op, kind, at(values, 0))));
    }
    case 'binary':
      return binary(e, scope);
    case 'compare':
      return [
        lift([comparable(e.left, scope), comparable(e.right, scope)], (values) =>
          scalarCompare(e.op, at(values, 0), at(values, 1)),
        ),
      ];
    case 'logical': {
      const left = at(elements(e.left, scope), 0);
      if (left instanceof Deferred && !left.known) {
        const right = attempt(() => elements(e.right, scope)[0]);
        if (right !== undefined) {
          return [
            lift([left, right], ([a, b]) => (e.op === 'and' ? a === true && b === true : a === true || b === true)),
          ];
        }
      }
      return (force(left) === true) === (e.op === 'and') ? evaluate(e.right, scope) : [e.op === 'or'];
    }
    case 'select':
      return select(e, scope);
    case 'convert':
      return convert(e, scope);
    case 'bitcast': {
      const from = e.operand.type;
      const to = e.type;
      if (from.kind !== 'scalar' && from.kind !== 'vector')
        throw new Unsupported('a bitcast of something that is not a number');
      const given = elements(e.operand, scope);
      return Array.from({ length: valueWidth(to) }, (_, index) =>
        lift(given, (values) => at(bitcastBytes(from, to, values), index)),
      );
    }
    case 'math': {
      const args = e.args.map((arg) => elements(arg, scope));
      const kind = kindOf(e.type);
      return at(args, 0).map((_, i) =>
        lift(
          args.map((arg) => at(arg, i)),
          (values) => scalarMath(e.function, kind, [...values]),
        ),
      );
    }
    case 'vector': {
      const parts = e.elements.map((element) => at(elements(element, scope), 0));
      return parts.length === 1 ? Array.from({ length: e.type.width }, () => at(parts, 0)) : parts;
    }
    case 'lane': {
      const [vector, index] = [elements(e.vector, scope), number(e.index, scope)];
      const value = vector[index];
      if (value === undefined) throw new ThreadFault('lane', noLaneText(index, vector.length), {}, e.span);
      return [value];
    }
    case 'withLane': {
      const vector = elements(e.vector, scope);
      const index = number(e.index, scope);
      if (index < 0 || index >= vector.length) {
        throw new ThreadFault('lane', noLaneText(index, vector.length), {}, e.span);
      }
      return vector.with(index, at(elements(e.value, scope), 0));
    }
    case 'windowPointer': {
      const window = evaluate(e.window, scope);
      const peer = number(e.peer, scope);
      const offset = number(e.offset, scope);
      if (!('bases' in window)) throw new Unsupported('a pointer into something that is not a window');
      if (peer < 0 || peer >= window.lsaSize) return { address: strayBase(window.lsaSize, peer) + offset, region: 0 };
      return { address: at(window.bases, peer) + offset, region: window.firstRegion + peer };
    }
    case 'addressPointer':
      return scope.pointerAt(number(e.address, scope));
    case 'multicastPointer': {
      const window = evaluate(e.window, scope);
      if (!('multicast' in window)) throw new Unsupported('a pointer into something that is not a window');
      const region = window.multicast.get(number(e.group, scope));
      const group = region === undefined ? undefined : scope.regions.multicast[region];
      if (region === undefined || group === undefined) return NULL;
      return { address: group.address + number(e.offset, scope), region };
    }
    case 'unicastPointer':
      return unicast(e, scope);
    case 'multicastSize':
      return [membersOf(pointer(e.pointer, scope), scope)];
    case 'pointerOffset': {
      const { address, region } = pointer(e.pointer, scope);
      return { address: address + number(e.index, scope) * valueBytes(e.type.element), region };
    }
    case 'pointerCast':
      return evaluate(e.pointer, scope);
    case 'intrinsic':
      return evaluate(e.expansion, scope);
  }
}

/** Returns the elements of a number or vector. */
export function elements(e: Expression, scope: Scope): readonly Element[] {
  const value = evaluate(e, scope);
  if (!isElements(value)) throw new Unsupported(`a ${e.kind} is used as a number`);
  return value;
}

/** @throws NeedsValue */
export function number(e: Expression, scope: Scope): number {
  return Number(force(at(elements(e, scope), 0)));
}

/** @throws NeedsValue */
export function pointer(e: Expression, scope: Scope): PointerValue {
  const value = evaluate(e, scope);
  if (!isPointer(value)) throw new Unsupported(`a ${e.kind} is used as a pointer`);
  return value;
}

const NULL: PointerValue = Object.freeze({ address: 0, region: 0 });

function binary(e: Extract<Expression, { kind: 'binary' }>, scope: Scope): readonly Element[] {
  const kind = kindOf(e.type);
  const right = elements(e.right, scope);
  const mayFault = ((e.op === 'div' || e.op === 'rem') && scalarInfo[kind].class === 'int') || kind === 'addr';
  return elements(e.left, scope).map((a, i) => {
    const b = at(right, i);
    if (mayFault) return checked(scalarBinary(e.op, kind, force(a), force(b)), e);
    return lift([a, b], (values) => checked(scalarBinary(e.op, kind, at(values, 0), at(values, 1)), e));
  });
}

function convert(e: Extract<Expression, { kind: 'convert' }>, scope: Scope): readonly Element[] {
  const from = e.operand.type;
  if (from.kind === 'pointer') {
    const of = pointer(e.operand, scope);
    return [elementScalar(e.type) === 'u64' ? BigInt(scope.addressOf(of)) : of.address % 2 ** 32];
  }
  const source = kindOf(from);
  const to = elementScalar(e.type);
  return elements(e.operand, scope).map((a) => {
    if (to === 'addr') return checked(scalarConvert(source, to, force(a)), e);
    return lift([a], (values) => checked(scalarConvert(source, to, at(values, 0)), e));
  });
}

/** If the condition is not known and neither side can fault, the result stays undecided too. */
function select(e: Extract<Expression, { kind: 'select' }>, scope: Scope): Value {
  const condition = at(elements(e.condition, scope), 0);
  if (condition instanceof Deferred && !condition.known) {
    const then = attempt(() => evaluate(e.then, scope));
    const otherwise = attempt(() => evaluate(e.else, scope));
    if (then !== undefined && otherwise !== undefined && isElements(then) && isElements(otherwise)) {
      return then.map((a, i) => {
        const b = at(otherwise, i);
        return after([condition, a, b], () => (known(condition) === true ? known(a) : known(b)));
      });
    }
  }
  return evaluate(force(condition) === true ? e.then : e.else, scope);
}

/** Returns the result of `compute`; `undefined` if it faults or needs a value that is not known. */
function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}

/** Returns the number of ranks that a multicast address reaches, which may be 0. */
function membersOf({ region }: PointerValue, scope: Scope): number {
  const group = scope.regions.multicast[region];
  return group === undefined ? 0 : group.bases.length;
}

function unicast(e: Extract<Expression, { kind: 'unicastPointer' }>, scope: Scope): PointerValue {
  const { address, region } = pointer(e.pointer, scope);
  const member = number(e.member, scope);
  const group = scope.regions.multicast[region];
  const base = group?.bases[member];
  if (group === undefined || base === undefined) return NULL;
  const place = { address: base + (address - group.address), region: at(group.regions, member) };
  const bytes = valueBytes(e.type.element);
  if (place.address % alignmentOf(bytes, elementScalar(e.type.element)) !== 0) {
    throw new ThreadFault('misaligned', '', { space: 'global', ...place, bytes }, e.span);
  }
  return place;
}

/** Returns the required alignment of an access of `bytes` bytes. */
export function alignmentOf(bytes: number, kind: ReturnType<typeof elementScalar>): number {
  return (bytes & (bytes - 1)) === 0 ? bytes : scalarInfo[kind].bytes;
}

function comparable(e: Expression, scope: Scope): Element {
  const value = evaluate(e, scope);
  if (isElements(value)) return at(value, 0);
  if (!isPointer(value)) throw new Unsupported('a comparison of handles');
  return value.address;
}

function field(e: Extract<Expression, { kind: 'field' }>, scope: Scope): Value {
  const base = evaluate(e.base, scope);
  if (isElements(base) || isPointer(base)) throw new Unsupported(`field ${e.field} of something that is not a handle`);
  if (e.type.kind === 'handle') {
    const window = 'windows' in base ? base.windows[e.field] : undefined;
    if (window === undefined) throw new Unsupported(`a handle without ${e.field}`);
    return window;
  }
  const value = base.fields[e.field];
  if (value === undefined) throw new Unsupported(`a handle without ${e.field}`);
  return [scalarFrom(kindOf(e.type), value)];
}

function scalarFrom(kind: ReturnType<typeof kindOf>, value: number): ScalarValue {
  if (kind === 'bool') return value !== 0;
  return kind === 'i64' || kind === 'u64' ? BigInt(value) : value;
}

export function kindOf(type: Type): ReturnType<typeof elementScalar> {
  if (type.kind !== 'scalar' && type.kind !== 'vector') throw new Unsupported(`a ${type.kind} is used as a number`);
  return elementScalar(type);
}

function argument(arg: ArgValue | undefined, type: Type): Value {
  if (typeof arg === 'number' || typeof arg === 'bigint' || typeof arg === 'boolean') return [arg];
  if (arg === undefined) throw new Unsupported(`no argument for a ${type.kind}`);
  return arg;
}

const faults: Readonly<Record<ScalarFault, FaultKind>> = {
  divisionByZero: 'divideByZero',
  divisionOverflow: 'overflow',
  addressRange: 'addressRange',
};

function checked(result: ScalarValue | ScalarFault, e: Expression): ScalarValue {
  if (isFault(result)) throw new ThreadFault(faults[result], '', {}, e.span);
  return result;
}
