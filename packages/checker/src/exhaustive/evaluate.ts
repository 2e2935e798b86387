import { at, scalarInfo } from '@nccl-ts/core';
import type { FaultKind } from '@nccl-ts/findings';
import {
  elementScalar,
  evaluateOperation,
  isFault,
  scalarCompare,
  valueBytes,
  type Algebra,
  type Builtin,
  type Expression,
  type Operation,
  type ScalarFault,
  type ScalarValue,
  type Type,
} from '@nccl-ts/ir';
import { after, Deferred, known } from '@nccl-ts/memory-model';
import type { PointerValue } from '@nccl-ts/backend-sim/internal';
import { strayBase, type ArgValue, type Regions, noLaneText } from '@nccl-ts/codegen';
import { force, isElements, isPointer, lift, type LaterScalar, type LaterValue } from './element.ts';
import { ThreadFault, Unsupported } from './thread-fault.ts';

/** The scope in which one thread evaluates expressions. */
export interface EvaluationScope {
  readonly locals: readonly LaterValue[];
  readonly args: readonly ArgValue[];
  readonly builtins: Readonly<Record<Builtin, number>>;
  readonly regions: Regions;
  /** Converts a device address to a pointer for the thread's rank, and back. */
  readonly pointerAt: (address: number) => PointerValue;
  readonly addressOf: (pointer: PointerValue) => number;
  /** The start of each array: its address and region. */
  readonly arrays: readonly PointerValue[];
  /** The same byte of the shared memory of the CTA with this rank in the cluster. */
  readonly inCluster: (pointer: PointerValue, rank: number) => PointerValue;
  /** The bytes from the CTA's shared memory to that of the CTA of a region. */
  readonly distanceTo: (region: number) => number;
}

/**
 * Evaluates an expression in one thread. A number that depends on an undecided read stays undecided
 * if only numbers depend on it. Addresses, divisors, and conditions that select something that may
 * fault must be known.
 *
 * @throws NeedsValue if a required value is not known yet; ThreadFault
 */
export function evaluate(e: Expression, scope: EvaluationScope): LaterValue {
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
    case 'unary':
    case 'binary':
    case 'logical':
    case 'select':
    case 'bitcast':
    case 'math':
    case 'vector':
    case 'lane':
    case 'withLane':
      return evaluateOperation(e, deferrable, scope);
    case 'compare':
      if (e.left.type.kind !== 'pointer') return evaluateOperation(e, deferrable, scope);
      return [scalarCompare(e.op, pointer(e.left, scope).address, pointer(e.right, scope).address)];
    case 'convert': {
      if (e.operand.type.kind !== 'pointer') return evaluateOperation(e, deferrable, scope);
      const of = pointer(e.operand, scope);
      return [elementScalar(e.type) === 'u64' ? BigInt(scope.addressOf(of)) : of.address % 2 ** 32];
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
    case 'clusterPointer':
      return scope.inCluster(pointer(e.pointer, scope), number(e.rank, scope));
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
export function elements(e: Expression, scope: EvaluationScope): readonly LaterScalar[] {
  const value = evaluate(e, scope);
  if (!isElements(value)) throw new Unsupported(`a ${e.kind} is used as a number`);
  return value;
}

/** @throws NeedsValue */
export function number(e: Expression, scope: EvaluationScope): number {
  return Number(force(at(elements(e, scope), 0)));
}

/** @throws NeedsValue */
export function pointer(e: Expression, scope: EvaluationScope): PointerValue {
  const value = evaluate(e, scope);
  if (!isPointer(value)) throw new Unsupported(`a ${e.kind} is used as a pointer`);
  return value;
}

const NULL: PointerValue = Object.freeze({ address: 0, region: 0 });

/**
 * Numbers that depend on undecided reads stay undecided, unless they may fault or choose a fault.
 */
const deferrable: Algebra<LaterScalar, LaterValue, EvaluationScope> = {
  elements,
  value: evaluate,
  lift: (inputs, compute, of, mayFault) =>
    mayFault ? checked(compute(...inputs.map(force)), of) : lift(inputs, (values) => checked(compute(...values), of)),
  choose: (condition, then, otherwise) => {
    if (condition instanceof Deferred && !condition.known) {
      const [a, b] = [attempt(then), attempt(otherwise)];
      if (a !== undefined && b !== undefined && isElements(a) && isElements(b)) {
        return a.map((one, i) => {
          const other = at(b, i);
          return after([condition, one, other], () => (known(condition) === true ? known(one) : known(other)));
        });
      }
    }
    return force(condition) === true ? then() : otherwise();
  },
  lane: (index, width, of, result) => {
    const lane = Number(force(index));
    if (lane < 0 || lane >= width) throw new ThreadFault('lane', noLaneText(lane, width), {}, of.span);
    return result(lane);
  },
};

/** Returns the result of `compute`; `undefined` if it faults or needs a value that is not known. */
function attempt<T>(compute: () => T): T | undefined {
  try {
    return compute();
  } catch {
    return undefined;
  }
}

/** Returns the number of ranks that a multicast address reaches, which may be 0. */
function membersOf({ region }: PointerValue, scope: EvaluationScope): number {
  const group = scope.regions.multicast[region];
  return group === undefined ? 0 : group.bases.length;
}

function unicast(e: Extract<Expression, { kind: 'unicastPointer' }>, scope: EvaluationScope): PointerValue {
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

function field(e: Extract<Expression, { kind: 'field' }>, scope: EvaluationScope): LaterValue {
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

function kindOf(type: Type): ReturnType<typeof elementScalar> {
  if (type.kind !== 'scalar' && type.kind !== 'vector') throw new Unsupported(`a ${type.kind} is used as a number`);
  return elementScalar(type);
}

function argument(arg: ArgValue | undefined, type: Type): LaterValue {
  if (typeof arg === 'number' || typeof arg === 'bigint' || typeof arg === 'boolean') return [arg];
  if (arg === undefined) throw new Unsupported(`no argument for a ${type.kind}`);
  return arg;
}

const faults: Readonly<Record<ScalarFault, FaultKind>> = {
  divisionByZero: 'divideByZero',
  divisionOverflow: 'overflow',
  addressRange: 'addressRange',
};

function checked(result: ScalarValue | ScalarFault, { span }: Operation): ScalarValue {
  if (isFault(result)) throw new ThreadFault(faults[result], '', {}, span);
  return result;
}
