import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  contractText,
  bitcastBytes,
  coopExpressions,
  dispatchExpression,
  dispatchStatement,
  elementScalar,
  isFault,
  scalarBinary,
  scalarCompare,
  scalarConvert,
  scalarMath,
  scalarUnary,
  staticExpressions,
  valueBytes,
  valueWidth,
  type Body,
  type Coop,
  type Expression,
  type ExpressionTable,
  type Module,
  type ScalarValue,
  type Statement,
  type StatementTable,
  type Type,
  type ValueType,
} from '@nccl-ts/ir';

/** A pointer is a named base and a byte offset; a handle is its name. */
type Value =
  | { readonly kind: 'elements'; readonly elements: readonly ScalarValue[] }
  | { readonly kind: 'pointer'; readonly base: string; readonly offset: bigint }
  | { readonly kind: 'handle'; readonly name: string };

type Jump = 'break' | 'continue' | 'return' | number;

class Fault extends Error {}
class OutOfFuel extends Error {}

/**
 * Executes one thread of `module`, and returns every effect in order, with its values. Memory,
 * clocks and other threads return values derived from `seed` and the effects so far, so that
 * programs with equal effects continue equally. The trace ends after `fuel` steps.
 */
export function trace(module: Module, seed: number, fuel = 400): readonly string[] {
  const machine = new Machine(module, seed, fuel);
  try {
    machine.run(module.body);
    machine.effect('end');
  } catch (error) {
    if (error instanceof Fault) machine.effect('fault');
    else if (!(error instanceof OutOfFuel)) throw error;
  }
  return machine.effects;
}

/**
 * True if two traces agree on their common length. If one of them came to an end, the other must be
 * equal to it.
 */
export function agree(a: readonly string[], b: readonly string[]): boolean {
  const ended = (list: readonly string[]): boolean => list.at(-1) === 'end' || list.at(-1) === 'fault';
  if (ended(a) && ended(b) && a.length !== b.length) return false;
  const length = Math.min(a.length, b.length);
  return a.slice(0, length).every((effect, index) => effect === b[index]);
}

class Machine {
  readonly effects: string[] = [];
  readonly locals: Value[];
  readonly #module: Module;
  readonly #seed: number;
  readonly #sessions = new Map<number, number>();
  #fuel: number;

  constructor(module: Module, seed: number, fuel: number) {
    this.#module = module;
    this.#seed = seed;
    this.#fuel = fuel;
    this.locals = module.locals.map(({ type }) => this.invent(type, 'start'));
  }

  effect(text: string): void {
    this.effects.push(text);
    if (this.effects.length > 60) throw new OutOfFuel();
  }

  burn(): void {
    if (this.#fuel-- <= 0) throw new OutOfFuel();
  }

  /** A value of `type` that depends on `why` and on the events so far. */
  invent(type: Type, why: string): Value {
    if (type.kind === 'handle') return { kind: 'handle', name: why };
    if (type.kind === 'pointer') return { kind: 'pointer', base: why, offset: 0n };
    const kind = elementScalar(type);
    const elements = Array.from({ length: valueWidth(type) }, (_, index) =>
      inventScalar(kind, hash(`${this.#seed} ${why} ${index} ${this.effects.length}`)),
    );
    return { kind: 'elements', elements };
  }

  evaluate(e: Expression): Value {
    return dispatchExpression(expressions, e, this);
  }

  scalar(e: Expression): ScalarValue {
    const value = this.evaluate(e);
    const element = value.kind === 'elements' ? value.elements[0] : undefined;
    if (element === undefined) throw new Error(`no scalar: ${e.kind}`);
    return element;
  }

  run(body: Body): Jump | undefined {
    for (const statement of body) {
      this.burn();
      const jump = dispatchStatement(statements, statement, this);
      if (jump !== undefined) return jump;
    }
    return undefined;
  }

  set(local: number | undefined, value: Value): void {
    if (local !== undefined) this.locals[local] = value;
  }

  target(local: number | undefined): Type {
    const type = local === undefined ? undefined : this.#module.locals[local]?.type;
    return type ?? { kind: 'handle', name: 'none' };
  }

  show(value: Value): string {
    if (value.kind === 'handle') return value.name;
    if (value.kind === 'pointer') return `${value.base}+${value.offset}`;
    return value.elements.map((element) => (Object.is(element, -0) ? '-0' : `${typeof element} ${element}`)).join(' ');
  }

  /** Sessions are distinguished by the order in which they occur, not by their number. */
  session(id: number | undefined): string {
    if (id === undefined) return '';
    const known = this.#sessions.get(id) ?? this.#sessions.size;
    this.#sessions.set(id, known);
    return `session ${known}`;
  }

  shown(list: readonly Expression[]): string {
    return list.map((e) => this.show(this.evaluate(e))).join(', ');
  }

  coop(coop: Coop): string {
    return `${coop.kind} ${coop.kind === 'tile' ? coop.size : ''} ${this.shown(coopExpressions(coop))}`;
  }
}

function hash(text: string): number {
  let h = 2166136261;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
  return (h ^ (h >>> 15)) >>> 0;
}

function inventScalar(kind: ScalarKind, random: number): ScalarValue {
  const info = scalarInfo[kind];
  if (info.class === 'bool') return random % 2 === 1;
  const small = [0, 1, 2, 3, 5, 31][random % 6] ?? 0;
  const value = random % 7 === 0 && info.signed ? -small : small;
  const converted = scalarConvert('i32', kind, info.class === 'addr' ? small : value);
  return isFault(converted) ? 0 : converted;
}

function checked<T>(result: T): Exclude<T, string> {
  if (typeof result === 'string') throw new Fault(result);
  return result as Exclude<T, string>;
}

function elementsOf(value: Value): readonly ScalarValue[] {
  if (value.kind !== 'elements') throw new Error(`expected a value, found a ${value.kind}`);
  return value.elements;
}

const values = (elements: readonly ScalarValue[]): Value => ({ kind: 'elements', elements });
const scalarOf = (type: Type): ScalarKind =>
  type.kind === 'scalar' || type.kind === 'vector' ? elementScalar(type) : 'u64';

function valueType(type: Type): ValueType {
  if (type.kind !== 'scalar' && type.kind !== 'vector') throw new Error(`expected a value type, found ${type.kind}`);
  return type;
}

function indexIn(elements: readonly ScalarValue[], index: ScalarValue): number {
  if (typeof index !== 'number' || index < 0 || index >= elements.length) throw new Fault('lane');
  return index;
}

function defined<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('expected a value');
  return value;
}

const expressions: ExpressionTable<Machine, Value> = {
  constant: (e) => values([e.value]),
  local: (e, m) => defined(m.locals[e.local]),
  param: (e) => paramValue(e.param, e.type),
  array: (e) => ({ kind: 'pointer', base: `#${e.array}`, offset: 0n }),
  builtin: (e) => values([hash(e.builtin) % 4]),
  field: (e, m) => {
    const path = `${m.show(m.evaluate(e.base))}.${e.field}`;
    return e.type.kind === 'handle'
      ? { kind: 'handle', name: path }
      : values([inventScalar(scalarOf(e.type), hash(path))]);
  },
  unary: (e, m) => values(elementsOf(m.evaluate(e.operand)).map((a) => scalarUnary(e.op, scalarOf(e.type), a))),
  binary: (e, m) => {
    const left = elementsOf(m.evaluate(e.left));
    const right = elementsOf(m.evaluate(e.right));
    return values(left.map((a, index) => checked(scalarBinary(e.op, scalarOf(e.type), a, defined(right[index])))));
  },
  compare: (e, m) => {
    const left = m.evaluate(e.left);
    const right = m.evaluate(e.right);
    if (left.kind === 'pointer') return values([scalarCompare(e.op, hash(m.show(left)), hash(m.show(right)))]);
    return values([scalarCompare(e.op, defined(elementsOf(left)[0]), defined(elementsOf(right)[0]))]);
  },
  logical: (e, m) => {
    const left = m.scalar(e.left);
    return left === (e.op === 'or') ? values([left]) : m.evaluate(e.right);
  },
  select: (e, m) => m.evaluate(m.scalar(e.condition) === true ? e.then : e.else),
  convert: (e, m) => {
    const from = scalarOf(e.operand.type);
    return values(elementsOf(m.evaluate(e.operand)).map((a) => checked(scalarConvert(from, elementScalar(e.type), a))));
  },
  bitcast: (e, m) => values(bitcastBytes(valueType(e.operand.type), e.type, elementsOf(m.evaluate(e.operand)))),
  math: (e, m) => {
    const args = e.args.map((arg) => elementsOf(m.evaluate(arg)));
    const kind = scalarOf(e.type);
    return values(
      defined(args[0]).map((_, i) =>
        scalarMath(
          e.function,
          kind,
          args.map((arg) => defined(arg[i])),
        ),
      ),
    );
  },
  vector: (e, m) => {
    const elements = e.elements.map((element) => m.scalar(element));
    return values(elements.length === 1 ? Array.from({ length: e.type.width }, () => defined(elements[0])) : elements);
  },
  lane: (e, m) => {
    const elements = elementsOf(m.evaluate(e.vector));
    return values([defined(elements[indexIn(elements, m.scalar(e.index))])]);
  },
  withLane: (e, m) => {
    const elements = elementsOf(m.evaluate(e.vector));
    const value = m.scalar(e.value);
    return values(elements.with(indexIn(elements, m.scalar(e.index)), value));
  },
  windowPointer: (e, m) => ({
    kind: 'pointer',
    base: `window ${m.show(m.evaluate(e.window))} ${m.show(m.evaluate(e.peer))}`,
    offset: BigInt(Number(m.scalar(e.offset))),
  }),
  addressPointer: (e, m) => ({ kind: 'pointer', base: 'memory', offset: BigInt(Number(m.scalar(e.address))) }),
  multicastPointer: (e, m) => ({
    kind: 'pointer',
    base: `multicast ${m.show(m.evaluate(e.window))} ${m.show(m.evaluate(e.group))}`,
    offset: BigInt(Number(m.scalar(e.offset))),
  }),
  unicastPointer: (e, m) => {
    const pointer = m.evaluate(e.pointer);
    if (pointer.kind !== 'pointer') throw new Error('no pointer');
    return { ...pointer, base: `${pointer.base} at ${m.show(m.evaluate(e.member))}` };
  },
  multicastSize: (e, m) => {
    m.evaluate(e.pointer);
    return values([3]);
  },
  clusterPointer: (e, m) => {
    m.evaluate(e.rank);
    return m.evaluate(e.pointer);
  },
  pointerOffset: (e, m) => {
    const pointer = m.evaluate(e.pointer);
    const index = m.scalar(e.index);
    if (pointer.kind !== 'pointer') throw new Error('no pointer');
    return { ...pointer, offset: pointer.offset + BigInt(index) * BigInt(valueBytes(e.type.element)) };
  },
  pointerCast: (e, m) => m.evaluate(e.pointer),
  intrinsic: (e, m) => m.evaluate(e.expansion),
};

function paramValue(index: number, type: Type): Value {
  if (type.kind === 'handle') return { kind: 'handle', name: `$${index}` };
  if (type.kind === 'pointer') return { kind: 'pointer', base: `$${index}`, offset: 0n };
  return values([inventScalar(scalarOf(type), hash(`param ${index}`))]);
}

/** Executes a statement whose only effect is described by `text`. Its result is invented. */
function outside(m: Machine, text: string, local: number | undefined): undefined {
  m.effect(text);
  if (local !== undefined) m.set(local, m.invent(m.target(local), text));
  return undefined;
}

const access = (s: Extract<Statement, { access?: unknown }>): string => JSON.stringify(s.access);

const statements: StatementTable<Machine, Jump | undefined> = {
  assign: (s, m) => {
    m.set(s.local, m.evaluate(s.value));
    return undefined;
  },
  load: (s, m) => outside(m, `load ${m.shown([s.pointer])} ${access(s)}`, s.local),
  store: (s, m) => outside(m, `store ${m.shown([s.pointer, s.value])} ${access(s)}`, undefined),
  atomic: (s, m) => {
    const operands = m.shown([s.pointer, s.value, ...(s.expected === undefined ? [] : [s.expected])]);
    return outside(m, `atomic ${s.op} ${operands} ${access(s)}`, s.local);
  },
  fence: (s, m) => outside(m, `fence ${access(s)}`, undefined),
  fenceProxy: (s, m) => outside(m, 'fenceProxy', undefined),
  sync: (s, m) => {
    const { name, threads } = s.barrier ?? {};
    const shown = [name, threads, s.vote?.value].filter((e): e is Expression => e !== undefined);
    return outside(m, `sync ${m.coop(s.coop)} ${m.shown(shown)}`, s.vote?.local);
  },
  wait: (s, m) => {
    outside(m, 'wait', undefined);
    const jump = m.run(s.body);
    return jump ?? outside(m, `until ${m.shown([s.condition])}`, undefined);
  },
  waitAll: (s, m) => {
    outside(m, `waitAll ${m.coop(s.coop)} ${m.shown([s.count])}`, undefined);
    const count = Math.min(Number(m.scalar(s.count)), 2);
    for (let index = 0; index < count; index++) {
      m.set(s.index, values([index]));
      m.run(s.body);
      outside(m, `until ${m.shown([s.condition])}`, undefined);
    }
    return undefined;
  },
  collective: (s, m) => {
    const operands = m.shown([s.value, s.lane].filter((e) => e !== undefined));
    return outside(m, `${s.op} ${m.coop(s.coop)} ${operands}`, s.local);
  },
  if: (s, m) => m.run(m.scalar(s.condition) === true ? s.then : s.else),
  loop: (s, m) => {
    while (s.condition === undefined || m.scalar(s.condition) === true) {
      m.burn();
      const jump = m.run(s.body);
      if (jump === 'break') return undefined;
      if (jump !== undefined && jump !== 'continue') return jump;
      const last = m.run(s.update);
      if (last === 'break') return undefined;
      if (last !== undefined) return last;
    }
    return undefined;
  },
  break: () => 'break',
  continue: () => 'continue',
  block: (s, m) => {
    const jump = m.run(s.body);
    return jump === s.label ? undefined : jump;
  },
  leave: (s) => s.label,
  return: () => 'return',
  assert: (s, m) => {
    if (m.scalar(s.condition) === true) return undefined;
    m.effect(`assert ${s.message}`);
    throw new Fault(
      contractText(
        s.message,
        (s.values ?? []).map((value) => m.scalar(value)),
      ),
    );
  },
  print: (s, m) =>
    outside(m, s.args.map((arg) => (typeof arg === 'string' ? arg : m.shown([arg]))).join(''), undefined),
  approximate: () => undefined,
  clock: (s, m) => outside(m, 'clock', s.local),
  call: (s, m) => {
    if (s.body !== undefined) return m.run(s.body);
    return outside(
      m,
      `${s.name} ${m.shown([...staticExpressions(s.statics), ...s.args])} ${m.session(s.session)}`,
      s.local,
    );
  },
};
