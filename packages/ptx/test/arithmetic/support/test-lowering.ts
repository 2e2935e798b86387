import { scalarInfo, type ScalarKind } from '@nccl-ts/core';
import {
  bitcast,
  constant,
  convert,
  local,
  scalarType,
  unary,
  vectorType,
  type Expression,
  type Local,
  type LocalId,
  type Span,
  type Statement,
  type Type,
} from '@nccl-ts/ir';
import type { PtxDiagnosticCode } from '../../../src/syntax/diagnostic.ts';
import { barrierUses, type BarrierUses } from '../../../src/lower/barrier-uses.ts';
import type { Lowering } from '../../../src/lower/lowering.ts';
import type { PtxOperand } from '../../../src/syntax/module.ts';

export const span: Span = { source: 0, start: 0, end: 0 };

/** The types, by the first letters of a register's name. */
const kinds: readonly (readonly [prefix: string, type: Type])[] = [
  ['%p', scalarType('bool')],
  ['%h', scalarType('u16')],
  ['%rd', scalarType('u64')],
  ['%r', scalarType('u32')],
  ['%fd', scalarType('f64')],
  ['%f', scalarType('f32')],
  ['%q', vectorType('u32', 4)],
];

export class Refusal extends Error {
  readonly code: PtxDiagnosticCode;
  constructor(code: PtxDiagnosticCode, message: string, help: string | undefined) {
    super(`${code}: ${message}${help === undefined ? '' : `; ${help}`}`);
    this.code = code;
  }
}

const unsigned = (bytes: number): ScalarKind =>
  bytes === 1 ? 'u8' : bytes === 2 ? 'u16' : bytes === 4 ? 'u32' : 'u64';

/** The bits of a scalar as another one. They are cut, or extended by sign or zeros. */
export function bitsAs(value: Expression, scalar: ScalarKind): Expression {
  if (value.type.kind !== 'scalar') return value;
  const from = value.type.scalar;
  if (from === scalar) return value;
  const [source, target] = [scalarInfo[from], scalarInfo[scalar]];
  if (source.class === 'int' && target.class === 'int') return convert(scalarType(scalar), value);
  if (source.bytes === target.bytes) return bitcast(scalarType(scalar), value);
  const whole = source.class === 'int' ? value : bitcast(scalarType(unsigned(source.bytes)), value);
  return bitsAs(convert(scalarType(unsigned(target.bytes)), whole), scalar);
}

/** Collects the statements that instructions emit. Each register is a local. */
export class TestLowering implements Lowering {
  readonly cluster = undefined;
  readonly span: Span = span;
  readonly barriers: BarrierUses = barrierUses([]);
  readonly locals: Local[] = [];
  readonly statements: Statement[] = [];
  readonly #registers = new Map<string, LocalId>();
  #carry: LocalId | undefined;

  local(name: string, type: Type): LocalId {
    this.locals.push({ name, type, span });
    return this.locals.length - 1;
  }

  register(name: string): Expression {
    const type = kinds.find(([prefix]) => name.startsWith(prefix))?.[1];
    if (type === undefined) throw new Error(`no register goes by the name ${name}`);
    let id = this.#registers.get(name);
    if (id === undefined) {
      id = this.local(name, type);
      this.#registers.set(name, id);
    }
    return local(id, type);
  }

  value(operand: PtxOperand, scalar: ScalarKind): Expression {
    if (operand.kind === 'register') return bitsAs(this.register(operand.name), scalar);
    const info = scalarInfo[scalar];
    const bits = operand.kind === 'integer' ? operand.value : operand.kind === 'float' ? operand.bits : 0n;
    const kind = info.class === 'int' ? scalar : unsigned(info.bytes);
    const value =
      scalarInfo[kind].class === 'int' && kind.startsWith('i')
        ? BigInt.asIntN(info.bits, bits)
        : BigInt.asUintN(info.bits, bits);
    return bitsAs(constant(kind, info.bytes === 8 ? value : Number(value)), scalar);
  }

  quad(operand: PtxOperand): Expression {
    if (operand.kind !== 'register') throw new Error('128 bits are a register');
    return this.register(operand.name);
  }

  carry(): LocalId {
    this.#carry ??= this.local('carry', scalarType('u32'));
    return this.#carry;
  }

  isPredicate(operand: PtxOperand): boolean {
    return operand.kind === 'register' && this.register(operand.name).type === scalarType('bool');
  }

  predicate(operand: PtxOperand): Expression {
    if (operand.kind === 'integer') return constant('bool', operand.value !== 0n);
    if (operand.kind !== 'register') throw new Error('a predicate is a register');
    const value = this.register(operand.name);
    return operand.isNegated ? unary('not', value) : value;
  }

  assign(operand: PtxOperand, value: Expression): void {
    if (operand.kind === 'sink') return;
    if (operand.kind !== 'register') throw new Error(`a ${operand.kind} cannot be assigned`);
    const target = this.register(operand.name);
    if (target.kind !== 'local') return;
    const { type } = target;
    const bits = type.kind === 'scalar' && type.scalar !== 'bool' ? bitsAs(value, type.scalar) : value;
    this.emit({ kind: 'assign', local: target.local, value: bits, span });
  }

  emit(statement: Statement): void {
    this.statements.push(statement);
  }

  keep(name: string, value: Expression): Expression {
    const id = this.local(name, value.type);
    this.emit({ kind: 'assign', local: id, value, span });
    return local(id, value.type);
  }

  memory(): never {
    throw new Error('arithmetic touches no memory');
  }

  sharedWords(): never {
    throw new Error('arithmetic touches no memory');
  }

  gridWorkspace(): never {
    throw new Error('arithmetic touches no memory');
  }

  unknown(name: string, value: Expression): Expression {
    return this.keep(name, value);
  }

  rankMark(): never {
    throw new Error('arithmetic touches no memory');
  }

  ownWord(): LocalId {
    throw new Error('arithmetic needs no words of its own');
  }

  ownArray(): Expression {
    throw new Error('arithmetic needs no memory');
  }

  pointerAt(): Expression {
    throw new Error('arithmetic needs no memory');
  }

  collect(): readonly Statement[] {
    throw new Error('arithmetic has no branches');
  }

  fail(code: PtxDiagnosticCode, message: string, help?: string): never {
    throw new Refusal(code, message, help);
  }
}
