import type { ScalarKind } from '@nccl-ts/core';
import {
  addressPointer,
  array,
  binary,
  bitcast,
  builtin,
  constant,
  convert,
  local,
  param,
  pointerCast,
  pointerOffset,
  scalarType,
  unary,
  valueBytes,
  type ArrayDeclaration,
  type Body,
  type Expression,
  type Local,
  type LocalId,
  type Module,
  type Span,
  type Statement,
  type Type,
  type ValueType,
} from '@nccl-ts/ir';
import type { PtxDiagnosticCode } from '../../../src/syntax/diagnostic.ts';
import { barrierUses, type BarrierUses } from '../../../src/lower/barrier-uses.ts';
import { isClusterBarrier } from '../../../src/lower/effects/cluster-barrier.ts';
import type { Lowering } from '../../../src/lower/lowering.ts';
import { special } from '../../../src/lower/effects/special.ts';
import { effects } from '../../../src/lower/effects/effects.ts';
import type { PtxInstruction, PtxOperand, PtxStateSpace } from '../../../src/syntax/module.ts';
import { parseInstruction } from './parse-instruction.ts';

/** Thrown for an instruction that is not translated. */
export class Refused extends Error {
  constructor(code: PtxDiagnosticCode, message: string, help: string | undefined) {
    super(help === undefined ? `${code} ${message}` : `${code} ${message} | ${help}`);
  }
}

const SHARED_BYTES = 1024;

/**
 * A kernel of single instructions. Registers have the names that compilers use, and the types that
 * the names imply.
 */
export class ThreadProgram implements Lowering {
  readonly cluster = undefined;
  span: Span = { source: 0, start: 0, end: 0 };
  readonly barriers: BarrierUses;
  readonly instructions: PtxInstruction[] = [];
  readonly #locals: Local[] = [];
  readonly #arrays: ArrayDeclaration[] = [];
  readonly #registers = new Map<string, LocalId>();
  readonly #words = new Map<string, Expression>();
  readonly #own = new Map<string, LocalId>();
  readonly #ownArrays = new Map<string, Expression>();
  readonly #prologue: Statement[] = [];
  readonly #texts: string[] = [];
  #body: Statement[] = [];
  #smem: Expression | undefined;

  /** `whole` has all instructions of the program that affect each other. */
  constructor(whole: readonly PtxInstruction[] = []) {
    this.barriers = barrierUses(whole);
  }

  /** Translates instructions, one per line. */
  ptx(...texts: readonly string[]): void {
    for (const text of texts) this.#one(text);
  }

  #one(text: string): void {
    const instruction = parseInstruction(text);
    this.instructions.push(instruction);
    const start = this.#texts.join('\n').length + (this.#texts.length === 0 ? 0 : 1);
    this.#texts.push(text);
    this.span = { source: 0, start, end: start + text.length };
    const lowering = effects[instruction.words[0]]?.lower;
    if (lowering === undefined) throw new Error(`nobody translates ${text}`);
    const { guard } = instruction;
    if (guard === undefined) {
      lowering(instruction, this);
      return;
    }
    const holds = this.predicate({ kind: 'register', name: guard.register, isNegated: guard.isNegated });
    this.when(holds, () => lowering(instruction, this));
  }

  when(condition: Expression, then: () => void): void {
    const outer = this.#body;
    const inner: Statement[] = [];
    this.#body = inner;
    then();
    this.#body = outer;
    this.emit({ kind: 'if', condition, then: inner, else: [], span: this.span });
  }

  /** `register = value`. */
  set(register: string, value: Expression): void {
    this.assign({ kind: 'register', name: register, isNegated: false }, value);
  }

  get(register: string): Expression {
    const known = special(register, this);
    if (known !== undefined) return known;
    const type = scalarType(kindOf(register));
    return local(this.#register(register), type);
  }

  /** Each thread stores 32 bits in its own slot. */
  out(slot: number, value: Expression): void {
    const threadsInBlock = builtin('blockThreads');
    const index = binary('add', builtin('threadLinear'), binary('mul', constant('u32', slot), threadsInBlock));
    const pointer = pointerOffset(addressPointer(scalarType('u32'), param(0, scalarType('u64'))), index);
    this.emit({ kind: 'store', pointer, value: bits(value, 'u32'), span: this.span });
  }

  value(operand: PtxOperand, scalar: ScalarKind): Expression {
    if (operand.kind === 'integer' || operand.kind === 'float') {
      const value = operand.kind === 'integer' ? operand.value : operand.bits;
      return scalar === 'u32'
        ? constant('u32', Number(BigInt.asUintN(32, value)))
        : bits(constant('u64', BigInt.asUintN(64, value)), scalar);
    }
    if (operand.kind === 'symbol') {
      return scalar === 'u64'
        ? binary('add', param(1, scalarType('u64')), constant('u64', operand.offset))
        : constant('u32', Number(operand.offset));
    }
    if (operand.kind !== 'register') throw new Error(`no value: ${operand.kind}`);
    return bits(this.get(operand.name), scalar);
  }

  isPredicate(operand: PtxOperand): boolean {
    return operand.kind === 'register' && kindOf(operand.name) === 'bool';
  }

  predicate(operand: PtxOperand): Expression {
    if (operand.kind === 'integer') return constant('bool', operand.value !== 0n);
    if (operand.kind !== 'register') throw new Error(`no predicate: ${operand.kind}`);
    const value = this.get(operand.name);
    return operand.isNegated ? unary('not', value) : value;
  }

  assign(operand: PtxOperand, value: Expression): void {
    if (operand.kind === 'sink') return;
    if (operand.kind !== 'register') throw new Error(`cannot set a ${operand.kind}`);
    const kind = kindOf(operand.name);
    this.emit({ kind: 'assign', local: this.#register(operand.name), value: bits(value, kind), span: this.span });
  }

  emit(statement: Statement): void {
    this.#body.push(statement);
  }

  local(name: string, type: Type): LocalId {
    return this.#locals.push({ name, type, span: this.span }) - 1;
  }

  keep(name: string, value: Expression): Expression {
    const id = this.local(name, value.type);
    this.emit({ kind: 'assign', local: id, value, span: this.span });
    return local(id, value.type);
  }

  memory(
    address: PtxOperand,
    space: PtxStateSpace | undefined,
    type: ValueType,
    access: (pointer: Expression) => void,
  ): void {
    if (address.kind !== 'address' || address.base === undefined) throw new Error('no address');
    const { base, offset } = address;
    if (space === 'shared') {
      const bytes = base.kind === 'symbol' ? constant('u32', 0) : this.get(base.name);
      const at = binary('add', bytes, constant('u32', Number(offset)));
      access(pointerCast(type, pointerOffset(this.#sharedBytes(), at)));
      return;
    }
    const start = base.kind === 'symbol' ? param(1, scalarType('u64')) : this.get(base.name);
    access(addressPointer(type, binary('add', start, constant('u64', offset))));
  }

  quad(): Expression {
    throw new Error('the programs of these tests have no registers of 128 bits');
  }

  carry(): LocalId {
    return this.ownWord('carry');
  }

  sharedWords(name: string, length: number): Expression {
    const known = this.#words.get(name);
    if (known !== undefined) return known;
    const words = this.#array(name, scalarType('u32'), length);
    this.#words.set(name, words);
    for (let i = 0; i < length; i++) this.#zero(pointerOffset(words, constant('u32', i)));
    return words;
  }

  gridWorkspace(): Expression {
    return constant('u64', 0x1234_5678_9abc_def0n);
  }

  unknown(name: string, value: Expression): Expression {
    return this.keep(name, value);
  }

  rankMark(): Expression {
    return constant('u64', 0x1234_5678_9abc_def0n);
  }

  ownWord(name: string): LocalId {
    const id = this.#own.get(name) ?? this.local(name, scalarType('u32'));
    this.#own.set(name, id);
    return id;
  }

  ownArray(name: string, scalar: ScalarKind, length: number): Expression {
    const made = this.#ownArrays.get(name) ?? this.#array(name, scalarType(scalar), length, 'local');
    this.#ownArrays.set(name, made);
    return made;
  }

  collect(emits: () => void): readonly Statement[] {
    const outer = this.#body;
    const inner: Statement[] = [];
    this.#body = inner;
    emits();
    this.#body = outer;
    return inner;
  }

  pointerAt(space: 'global' | 'shared' | 'cluster', address: Expression, type: ValueType): Expression {
    if (space === 'global') return addressPointer(type, address);
    return pointerCast(type, pointerOffset(this.#sharedBytes(), address));
  }

  fail(code: PtxDiagnosticCode, message: string, help?: string): never {
    throw new Refused(code, message, help);
  }

  /**
   * The parameters: the address of the results, and the address of the data (the symbol `data`).
   * Shared memory is the symbol `smem`.
   */
  module(): Module {
    const { span } = this;
    const first: Expression = {
      kind: 'compare',
      type: scalarType('bool'),
      op: 'eq',
      left: builtin('threadLinear'),
      right: constant('u32', 0),
    };
    const own = [...this.#own.values()].map((id): Statement => ({
      kind: 'assign',
      local: id,
      value: constant('u32', 0),
      span,
    }));
    const begin: Body =
      this.#prologue.length === 0
        ? []
        : [
            { kind: 'if', condition: first, then: this.#prologue, else: [], span },
            { kind: 'sync', coop: { kind: 'cta' }, span },
          ];
    const u64 = scalarType('u64');
    return {
      name: 'program',
      params: [
        { name: 'out', type: u64 },
        { name: 'data', type: u64 },
      ],
      locals: this.#locals,
      arrays: this.#arrays,
      body: [...own, ...begin, ...this.#body],
      ...(this.instructions.some(isClusterBarrier) ? { cluster: { x: 1, y: 1, z: 1 } } : {}),
      sources: [{ name: 'program', text: this.#texts.join('\n') }],
    };
  }

  #register(name: string): LocalId {
    let id = this.#registers.get(name);
    if (id === undefined) {
      id = this.local(name, scalarType(kindOf(name)));
      this.#registers.set(name, id);
    }
    return id;
  }

  #array(name: string, element: ValueType, length: number, space: 'shared' | 'local' = 'shared'): Expression {
    const declaration = { name, space, element, length, span: this.span };
    return array(this.#arrays.push(declaration) - 1, declaration);
  }

  #sharedBytes(): Expression {
    if (this.#smem === undefined) {
      this.#smem = this.#array('smem', scalarType('u8'), SHARED_BYTES);
      for (let i = 0; i < SHARED_BYTES / 4; i++) {
        this.#zero(pointerOffset(pointerCast(scalarType('u32'), this.#smem), constant('u32', i)));
      }
    }
    return this.#smem;
  }

  #zero(pointer: Expression): void {
    if (pointer.type.kind !== 'pointer' || valueBytes(pointer.type.element) !== 4) throw new Error('no word');
    this.#prologue.push({ kind: 'store', pointer, value: constant('u32', 0), span: this.span });
  }
}

const kinds: readonly (readonly [prefix: RegExp, kind: ScalarKind])[] = [
  [/^%p\d/u, 'bool'],
  [/^%rs\d/u, 'u16'],
  [/^%rd\d/u, 'u64'],
  [/^%r\d/u, 'u32'],
  [/^%fd\d/u, 'f64'],
  [/^%f\d/u, 'f32'],
];

function kindOf(register: string): ScalarKind {
  const found = kinds.find(([prefix]) => prefix.test(register));
  if (found === undefined) throw new Error(`no register: ${register}`);
  return found[1];
}

const bytes: Readonly<Partial<Record<ScalarKind, number>>> = { u16: 2, f16: 2, bf16: 2, u64: 8, i64: 8, f64: 8 };
const integers = { 2: 'u16', 4: 'u32', 8: 'u64' } as const;

/** The low bits of a value as a scalar. */
function bits(value: Expression, to: ScalarKind): Expression {
  if (value.type.kind !== 'scalar') throw new Error('no scalar');
  const from = value.type.scalar;
  if (from === to) return value;
  if (from === 'bool') return convert(scalarType(to), value);
  const integerOf = (kind: ScalarKind): ScalarKind => {
    const size = bytes[kind] ?? 4;
    return size === 2 || size === 8 ? integers[size] : integers[4];
  };
  const whole = from === integerOf(from) ? value : bitcast(scalarType(integerOf(from)), value);
  const cut = integerOf(from) === integerOf(to) ? whole : convert(scalarType(integerOf(to)), whole);
  return integerOf(to) === to ? cut : bitcast(scalarType(to), cut);
}
