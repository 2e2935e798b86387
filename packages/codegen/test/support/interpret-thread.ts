import { scalarInfo } from '@nccl-ts/core';
import {
  bitcastBytes,
  elementScalar,
  isFault,
  readScalar,
  scalarBinary,
  scalarCompare,
  scalarConvert,
  scalarMath,
  scalarUnary,
  valueBytes,
  valueWidth,
  writeScalar,
  type Body,
  type Coop,
  type Expression,
  type Module,
  type ScalarValue,
  type Statement,
  type Type,
  type ValueType,
} from '@nccl-ts/ir';

import type { ArgValue } from '../../src/program/program.ts';
import type { DevCommValue, Dim, TestLaunch, WindowValue } from './machine.ts';

export class InterpretedFault extends Error {
  readonly kind: string;
  constructor(kind: string) {
    super(kind);
    this.kind = kind;
  }
}

interface Pointer {
  readonly pointer: true;
  readonly address: number;
  readonly region: number;
}
export type Value = readonly ScalarValue[] | Pointer | WindowValue | DevCommValue;

type Jump = undefined | 'break' | 'continue' | 'return' | number;
/** A request that a thread makes before it continues. */
export type Request =
  | { readonly kind: 'until'; readonly test: () => boolean }
  | {
      readonly kind: 'meet';
      readonly at: Statement;
      readonly coop: Coop;
      readonly mask: number;
      readonly span: readonly number[];
      readonly part: Part;
    };
export interface Part {
  readonly value: Value | undefined;
  readonly lane: number;
  /** For `waitAll`: the number of indices, and a test if one holds. */
  readonly count: number;
  readonly test: ((index: number) => boolean) | undefined;
}

/** The surroundings of one thread. */
export interface Surroundings {
  readonly module: Module;
  readonly launch: TestLaunch;
  readonly memory: DataView;
  /** The shared arrays of its CTA, and its own, by array. */
  readonly shared: readonly DataView[];
  readonly own: readonly DataView[];
  readonly rank: number;
  readonly blockIdx: Dim;
}

export class Thread {
  readonly linear: number;
  request: Request | undefined;
  latch: Set<number> | undefined;
  readonly #around: Surroundings;
  readonly #locals: Value[];
  readonly #steps: Generator<Request, void, Value | undefined>;
  #answer: Value | undefined;
  #done = false;

  constructor(around: Surroundings, linear: number) {
    this.#around = around;
    this.linear = linear;
    this.#locals = around.module.locals.map(({ type }) => zeroOf(type));
    this.#steps = this.#main();
  }

  get isDone(): boolean {
    return this.#done;
  }

  release(answer: Value | undefined): void {
    this.request = undefined;
    this.#answer = answer;
  }

  turn(): boolean {
    if (this.#done) return false;
    if (this.request?.kind === 'meet') return false;
    if (this.request?.kind === 'until' && !this.request.test()) return false;
    this.request = undefined;
    const next = this.#steps.next(this.#answer);
    this.#answer = undefined;
    if (next.done === true) this.#done = true;
    else this.request = next.value;
    return true;
  }

  *#main(): Generator<Request, void, Value | undefined> {
    yield* this.#body(this.#around.module.body);
  }

  *#body(body: Body): Generator<Request, Jump, Value | undefined> {
    for (const s of body) {
      const jump = yield* this.#statement(s);
      if (jump !== undefined) return jump;
    }
    return undefined;
  }

  *#statement(s: Statement): Generator<Request, Jump, Value | undefined> {
    switch (s.kind) {
      case 'assign':
        this.#locals[s.local] = this.#eval(s.value);
        return undefined;
      case 'load':
        this.#locals[s.local] = this.#load(s.pointer);
        return undefined;
      case 'store':
        this.#store(s.pointer, this.#elements(s.value));
        return undefined;
      case 'atomic':
        this.#atomic(s);
        return undefined;
      case 'fence':
      case 'fenceProxy':
        return undefined;
      case 'sync':
        yield this.#meeting(s, s.coop, {});
        return undefined;
      case 'collective': {
        if (s.op === 'activeMask') {
          this.#locals[s.local] = [(1 << (this.linear & 31)) >>> 0];
          return undefined;
        }
        const value = s.value === undefined ? undefined : this.#eval(s.value);
        const lane = s.lane === undefined ? 0 : this.#number(s.lane);
        const result = yield this.#meeting(s, s.coop, { value, lane });
        if (result !== undefined) this.#locals[s.local] = result;
        return undefined;
      }
      case 'wait': {
        yield { kind: 'until', test: () => this.#holds(s.body, s.condition) };
        return undefined;
      }
      case 'waitAll': {
        const test = (index: number): boolean => {
          const before = [...this.#locals];
          this.#locals[s.index] = [index];
          const holds = this.#holds(s.body, s.condition);
          this.#locals.splice(0, before.length, ...before);
          return holds;
        };
        yield this.#meeting(s, s.coop, { count: this.#number(s.count), test });
        return undefined;
      }
      case 'if':
        return yield* this.#body(this.#truth(s.condition) ? s.then : s.else);
      case 'loop':
        while (s.condition === undefined || this.#truth(s.condition)) {
          for (const part of [s.body, s.update]) {
            const jump = yield* this.#body(part);
            if (jump === 'break') return undefined;
            if (jump !== undefined && jump !== 'continue') return jump;
          }
          // Other threads must get a chance to change what a polling loop reads.
          yield { kind: 'until', test: () => true };
        }
        return undefined;
      case 'break':
      case 'continue':
      case 'return':
        return s.kind;
      case 'block': {
        const jump = yield* this.#body(s.body);
        return jump === s.label ? undefined : jump;
      }
      case 'leave':
        return s.label;
      case 'assert':
        if (!this.#truth(s.condition)) throw new InterpretedFault('assert');
        return undefined;
      case 'print':
      case 'approximate':
        return undefined;
      case 'clock':
        this.#locals[s.local] = [0n];
        return undefined;
      case 'call':
        if (s.body === undefined) throw new Error('primitive');
        return yield* this.#body(s.body);
    }
  }

  #meeting(at: Statement, coop: Coop, part: Partial<Part>): Request {
    const full: Part = { value: undefined, lane: 0, count: 0, test: undefined, ...part };
    const mask = coop.kind === 'lanes' ? this.#number(coop.mask) : 0;
    const span = coop.kind === 'warpSpan' ? [this.#number(coop.first), this.#number(coop.count)] : [];
    return { kind: 'meet', at, coop, mask, span, part: full };
  }

  #holds(body: Body, condition: Expression): boolean {
    const run = this.#body(body);
    for (let step = run.next(); step.done !== true; step = run.next());
    return this.#truth(condition);
  }

  #atomic(s: Extract<Statement, { kind: 'atomic' }>): void {
    const old = this.#load(s.pointer);
    const kind = s.pointer.type.kind === 'pointer' ? elementScalar(s.pointer.type.element) : 'u32';
    const value = this.#elements(s.value);
    const next = old.map((element, i): ScalarValue => {
      const operand = value[i] ?? 0;
      if (s.op === 'exch') return operand;
      if (s.op === 'cas') {
        const expected = s.expected === undefined ? 0 : this.#elements(s.expected)[i];
        return Object.is(element, expected) ? operand : element;
      }
      const result = scalarBinary(s.op, kind, element, operand);
      if (isFault(result)) throw new InterpretedFault(result);
      return result;
    });
    this.#store(s.pointer, next);
    if (s.local !== undefined) this.#locals[s.local] = old;
  }

  #place(pointer: Expression): { readonly view: DataView; readonly at: number; readonly type: ValueType } {
    const value = this.#eval(pointer);
    if (pointer.type.kind !== 'pointer' || !('pointer' in value)) throw new Error('no pointer');
    const { element, space } = pointer.type;
    const bytes = valueBytes(element);
    const unit = scalarInfo[elementScalar(element)].bytes;
    const align = (bytes & (bytes - 1)) === 0 ? bytes : unit;
    const { regions } = this.#around.launch;
    const view =
      space === 'global'
        ? this.#around.memory
        : (space === 'shared' ? this.#around.shared : this.#around.own)[value.region - 1];
    const low = space === 'global' ? (regions.low[value.region] ?? 0) : 0;
    const high = space === 'global' ? (regions.high[value.region] ?? 0) : (view?.byteLength ?? 0);
    if (value.address < low || value.address + bytes > high || view === undefined)
      throw new InterpretedFault('outOfBounds');
    if (value.address % align !== 0) throw new InterpretedFault('misaligned');
    return { view, at: value.address, type: element };
  }

  #load(pointer: Expression): ScalarValue[] {
    const { view, at, type } = this.#place(pointer);
    const kind = elementScalar(type);
    const { bytes } = scalarInfo[kind];
    return Array.from({ length: valueWidth(type) }, (_, i) => readScalar(view, at + i * bytes, kind));
  }

  #store(pointer: Expression, values: readonly ScalarValue[]): void {
    const { view, at, type } = this.#place(pointer);
    const kind = elementScalar(type);
    values.forEach((value, i) => writeScalar(view, at + i * scalarInfo[kind].bytes, kind, value));
  }

  #elements(e: Expression): readonly ScalarValue[] {
    const value = this.#eval(e);
    if (!isElements(value)) throw new Error(`no value: ${e.kind}`);
    return value;
  }

  #number(e: Expression): number {
    return Number(this.#elements(e)[0]);
  }

  #truth(e: Expression): boolean {
    return this.#elements(e)[0] === true;
  }

  #pointerOf(e: Expression): Pointer {
    const value = this.#eval(e);
    if (!('pointer' in value)) throw new Error('no pointer');
    return value;
  }

  #eval(e: Expression): Value {
    switch (e.kind) {
      case 'constant':
        return [e.value];
      case 'local':
        return this.#locals[e.local] ?? [];
      case 'param':
        return argument(this.#around.launch.args(this.#around.rank)[e.param], e.type);
      case 'array':
        return { pointer: true, address: 0, region: e.array + 1 };
      case 'builtin':
        return [this.#builtin(e.builtin)];
      case 'field':
        return this.#field(e);
      case 'unary': {
        const kind = scalarKindOf(e.type);
        return this.#elements(e.operand).map((a) => scalarUnary(e.op, kind, a));
      }
      case 'binary': {
        const right = this.#elements(e.right);
        const kind = scalarKindOf(e.type);
        return this.#elements(e.left).map((a, i) => checked(scalarBinary(e.op, kind, a, right[i] ?? 0)));
      }
      case 'compare': {
        const left = this.#eval(e.left);
        const right = this.#eval(e.right);
        const value = (v: Value): ScalarValue => ('pointer' in v ? v.address : isElements(v) ? (v[0] ?? 0) : 0);
        return [scalarCompare(e.op, value(left), value(right))];
      }
      case 'logical':
        return [
          e.op === 'and' ? this.#truth(e.left) && this.#truth(e.right) : this.#truth(e.left) || this.#truth(e.right),
        ];
      case 'select':
        return this.#eval(this.#truth(e.condition) ? e.then : e.else);
      case 'convert': {
        const from = scalarKindOf(e.operand.type);
        const to = elementScalar(e.type);
        return this.#elements(e.operand).map((a) => checked(scalarConvert(from, to, a)));
      }
      case 'bitcast': {
        const from = e.operand.type;
        if (from.kind !== 'scalar' && from.kind !== 'vector') throw new Error('bitcast');
        return bitcastBytes(from, e.type, this.#elements(e.operand));
      }
      case 'math': {
        const args = e.args.map((arg) => this.#elements(arg));
        const kind = scalarKindOf(e.type);
        return (args[0] ?? []).map((_, i) =>
          scalarMath(
            e.function,
            kind,
            args.map((arg) => arg[i] ?? 0),
          ),
        );
      }
      case 'vector': {
        const parts = e.elements.map((element) => this.#elements(element)[0] ?? 0);
        return parts.length === 1 ? Array.from({ length: e.type.width }, () => parts[0] ?? 0) : parts;
      }
      case 'lane': {
        const value = this.#elements(e.vector)[this.#number(e.index)];
        if (value === undefined) throw new InterpretedFault('lane');
        return [value];
      }
      case 'withLane': {
        const vector = this.#elements(e.vector);
        const index = this.#number(e.index);
        if (index < 0 || index >= vector.length) throw new InterpretedFault('lane');
        return vector.with(index, this.#elements(e.value)[0] ?? 0);
      }
      case 'windowPointer': {
        const window = this.#eval(e.window);
        const peer = this.#number(e.peer);
        const offset = this.#number(e.offset);
        if (!('bases' in window)) throw new Error('no window');
        if (peer < 0 || peer >= window.lsaSize) return { pointer: true, address: offset, region: 0 };
        return { pointer: true, address: (window.bases[peer] ?? 0) + offset, region: window.firstRegion + peer };
      }
      case 'addressPointer':
        throw new Error('programs here have no device addresses');
      case 'multicastPointer':
      case 'unicastPointer':
      case 'multicastSize':
        throw new Error('programs here have no multicast addresses');
      case 'clusterPointer':
        throw new Error('programs here have no clusters');
      case 'pointerOffset': {
        const { address, region } = this.#pointerOf(e.pointer);
        return { pointer: true, address: address + this.#number(e.index) * valueBytes(e.type.element), region };
      }
      case 'pointerCast':
        return this.#eval(e.pointer);
      case 'intrinsic':
        return this.#eval(e.expansion);
    }
  }

  #field(e: Extract<Expression, { kind: 'field' }>): Value {
    const base = this.#eval(e.base);
    if (isElements(base) || 'pointer' in base) throw new Error('no handle');
    if (e.type.kind === 'handle') {
      const window = 'windows' in base ? base.windows[e.field] : undefined;
      if (window === undefined) throw new Error('no such window');
      return window;
    }
    const kind = scalarKindOf(e.type);
    const value = base.fields[e.field] ?? 0;
    return [kind === 'bool' ? value !== 0 : kind === 'i64' || kind === 'u64' ? BigInt(value) : value];
  }

  #builtin(name: string): number {
    const { block, grid } = this.#around.launch;
    const { x, y } = block;
    const t = this.linear;
    const dims: Readonly<Record<string, Dim>> = {
      threadIdx: { x: t % x, y: Math.floor(t / x) % y, z: Math.floor(t / (x * y)) },
      blockIdx: this.#around.blockIdx,
      blockDim: block,
      gridDim: { x: grid, y: 1, z: 1 },
    };
    if (name === 'threadLinear') return t;
    if (name === 'blockThreads') return x * y * block.z;
    if (name === 'laneId') return t % 32;
    if (name === 'warpSize') return 32;
    const [of = '', axis] = name.split('.');
    const dim = dims[of];
    return (axis === 'x' ? dim?.x : axis === 'y' ? dim?.y : dim?.z) ?? 0;
  }
}

function isElements(value: Value): value is readonly ScalarValue[] {
  return Array.isArray(value);
}

function checked(result: ScalarValue | string): ScalarValue {
  if (typeof result === 'string') throw new InterpretedFault(result);
  return result;
}

function scalarKindOf(type: Type): ReturnType<typeof elementScalar> {
  if (type.kind !== 'scalar' && type.kind !== 'vector') throw new Error('no number');
  return elementScalar(type);
}

function zeroOf(type: Type): Value {
  if (type.kind === 'pointer' || type.kind === 'handle') return { pointer: true, address: 0, region: 0 };
  const kind = elementScalar(type);
  const zero: ScalarValue = kind === 'bool' ? false : kind === 'i64' || kind === 'u64' ? 0n : 0;
  return Array.from({ length: valueWidth(type) }, () => zero);
}

function argument(arg: ArgValue | undefined, type: Type): Value {
  if (typeof arg === 'number' || typeof arg === 'bigint' || typeof arg === 'boolean') return [arg];
  if (arg === undefined) throw new Error('no argument');
  if (type.kind !== 'pointer') return arg as Value;
  if (!('address' in arg)) throw new Error('no pointer');
  return { pointer: true, address: arg.address, region: arg.region };
}
