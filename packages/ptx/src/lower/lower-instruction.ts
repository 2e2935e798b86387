import type { ScalarKind } from '@nccl-ts/core';
import {
  binary,
  compare,
  constant,
  local,
  pointerCast,
  unary,
  type ClusterSize,
  type Expression,
  type LocalId,
  type Span,
  type Statement,
  type Type,
  type ValueType,
} from '@nccl-ts/ir';
import type { PtxDiagnosticCode } from '../syntax/diagnostic.ts';
import type { PtxOperand } from '../syntax/module.ts';
import { inCluster, ofOwnCta, ownRank, rankBits } from './cluster-addresses.ts';
import type { AccessSpace } from './instruction-parts.ts';
import type { BarrierUses } from './barrier-uses.ts';
import { gridWorkspace } from './grid-workspace.ts';
import type { Lowering } from './lowering.ts';
import { bytesAt, u32Constant, type ModuleBuilder } from './module-builder.ts';
import { advanceBy } from './pointer-arithmetic.ts';
import { rankMark } from './rank-mark.ts';
import { genericTag, type Registers } from './registers.ts';
import { bitsAs, bitsConstant, bytesOfScalar } from './scalar-bits.ts';

/** Thrown by `fail`. The lowering of an instruction catches it. */
export class Refusal extends Error {
  readonly code: PtxDiagnosticCode;
  readonly help: string | undefined;

  constructor(code: PtxDiagnosticCode, message: string, help: string | undefined) {
    super(message);
    this.code = code;
    this.help = help;
  }
}

/** The value of a special register, or `undefined` if there is none of that name. */
export type Special = (name: string, lowering: Lowering) => Expression | undefined;

/** The context in which lowerings run, one instruction after the other. */
export class InstructionLowering implements Lowering {
  readonly builder: ModuleBuilder;
  readonly registers: Registers;
  readonly barriers: BarrierUses;
  readonly #special: Special;
  #span: Span = { source: 0, start: 0, end: 0 };
  #out: Statement[] = [];

  constructor(builder: ModuleBuilder, registers: Registers, barriers: BarrierUses, special: Special) {
    this.builder = builder;
    this.registers = registers;
    this.barriers = barriers;
    this.#special = special;
  }

  get cluster(): ClusterSize | undefined {
    return this.builder.cluster;
  }

  get span(): Span {
    return this.#span;
  }

  /** The statements that `lower` emits for an instruction at `span`. */
  statementsOf(span: Span, lower: () => void): readonly Statement[] {
    this.#span = span;
    return this.collect(lower);
  }

  collect(lower: () => void): readonly Statement[] {
    const before = this.#out;
    const out: Statement[] = [];
    this.#out = out;
    try {
      lower();
    } finally {
      this.#out = before;
    }
    return out;
  }

  emit(statement: Statement): void {
    this.#out.push(statement);
  }

  local(name: string, type: Type): LocalId {
    return this.builder.local(name, type, this.#span);
  }

  keep(name: string, value: Expression): Expression {
    const id = this.local(name, value.type);
    this.set(id, value);
    return local(id, value.type);
  }

  set(id: LocalId, value: Expression): void {
    this.emit({ kind: 'assign', local: id, value, span: this.#span });
  }

  sharedWords(name: string, length: number): Expression {
    return this.builder.sharedWords(name, length);
  }

  gridWorkspace(): Expression {
    return this.builder.variable(gridWorkspace);
  }

  unknown(name: string, value: Expression): Expression {
    const id = this.local(name, value.type);
    this.builder.unknown.add(id);
    this.set(id, value);
    return local(id, value.type);
  }

  rankMark(): Expression {
    return this.builder.variable(rankMark);
  }

  ownWord(name: string): LocalId {
    return this.builder.ownWord(name);
  }

  ownArray(name: string, scalar: ScalarKind, length: number): Expression {
    return this.builder.ownArray(name, scalar, length);
  }

  pointerAt(space: 'global' | 'shared' | 'cluster', address: Expression, type: ValueType): Expression {
    if (space === 'cluster') return pointerCast(type, this.#inCluster(address));
    return pointerCast(type, space === 'shared' ? this.#ownShared(address) : bytesAt(address));
  }

  fail(code: PtxDiagnosticCode, message: string, help?: string): never {
    throw new Refusal(code, message, help);
  }

  value(operand: PtxOperand, scalar: ScalarKind): Expression {
    switch (operand.kind) {
      case 'integer':
        return bitsConstant(scalar, operand.value);
      case 'float':
        return this.#float(operand.bits, operand.bytes, scalar);
      case 'symbol':
        return bitsAs(this.addressOfSymbol(operand.name, operand.offset), scalar);
      case 'register':
        return this.#register(operand.name, scalar);
      default:
        return this.fail('P1003', `a ${operand.kind} cannot be read as a value`);
    }
  }

  #float(bits: bigint, bytes: 4 | 8, scalar: ScalarKind): Expression {
    if (bytesOfScalar(scalar) === bytes) return bitsConstant(scalar, bits);
    const view = new DataView(new ArrayBuffer(8));
    if (bytes === 8 && scalar === 'f32') {
      view.setBigUint64(0, bits);
      return constant('f32', Math.fround(view.getFloat64(0)));
    }
    return bitsConstant(scalar, bits);
  }

  #register(name: string, scalar: ScalarKind): Expression {
    if (this.registers.kind(name) !== undefined) {
      const given = this.registers.bytes(name);
      const wanted = bytesOfScalar(scalar);
      if (given < wanted) {
        return this.fail('P1003', `${name} has ${given} bytes, but ${wanted} are read`);
      }
      return this.registers.read(name, scalar);
    }
    const special = this.#sizeOfShared(name) ?? this.#special(name, this);
    if (special === undefined) return this.fail('P1002', `${name} is not declared`);
    return bitsAs(special, scalar);
  }

  #sizeOfShared(name: string): Expression | undefined {
    const { shared } = this.builder.layout;
    if (name === '%total_smem_size' || name === '%aggr_smem_size') return u32Constant(shared.bytes);
    return name === '%dynamic_smem_size' ? u32Constant(shared.dynamicBytes) : undefined;
  }

  quad(operand: PtxOperand): Expression {
    if (operand.kind === 'register' && this.registers.kind(operand.name) === 'b128') {
      return this.registers.local(operand.name);
    }
    return this.fail('P1003', `a value of 128 bits must be in a register of that size`);
  }

  carry(): LocalId {
    return this.builder.ownWord('carry');
  }

  isPredicate(operand: PtxOperand): boolean {
    return operand.kind === 'register' && this.registers.kind(operand.name) === 'bool';
  }

  predicate(operand: PtxOperand): Expression {
    if (operand.kind === 'integer') return constant('bool', operand.value !== 0n);
    if (operand.kind !== 'register') return this.fail('P1003', `a ${operand.kind} cannot be read as a predicate`);
    return this.guard(operand.name, operand.isNegated);
  }

  guard(name: string, isNegated: boolean): Expression {
    const kind = this.registers.kind(name);
    const value =
      kind === 'bool' ? this.registers.local(name) : kind === undefined ? this.#special(name, this) : undefined;
    if (value === undefined || value.type.kind !== 'scalar' || value.type.scalar !== 'bool') {
      return this.fail('P1003', `${name} is not a predicate`);
    }
    return isNegated ? unary('not', value) : value;
  }

  assign(operand: PtxOperand, value: Expression): void {
    if (operand.kind === 'sink') return;
    if (operand.kind !== 'register' || this.registers.kind(operand.name) === undefined) {
      const name = operand.kind === 'register' ? operand.name : `a ${operand.kind}`;
      this.fail('P1002', `${name} is not a declared register, so it cannot be set`);
    }
    const { name } = operand;
    const isBool = value.type.kind === 'scalar' && value.type.scalar === 'bool';
    if (isBool !== (this.registers.kind(name) === 'bool')) {
      this.fail('P1003', isBool ? `${name} must be a predicate` : `${name} is a predicate and cannot hold a number`);
    }
    if ((value.type.kind === 'vector') !== (this.registers.kind(name) === 'b128')) {
      this.fail('P1003', `${name} and the value that it is set to differ in size`);
    }
    this.set(this.registers.localId(name), this.registers.stored(name, value));
  }

  /** The address of a variable as 64 bits. It is an offset in its memory, or a device address. */
  addressOfSymbol(name: string, offset: bigint): Expression {
    const { layout } = this.builder;
    const shared = layout.shared.offsets.get(name);
    if (shared !== undefined && this.cluster !== undefined) {
      const at = binary('or', rankBits(ownRank(this.cluster)), bitsConstant('u32', BigInt(shared)));
      return bitsAs(binary('add', at, bitsConstant('u32', offset)), 'u64');
    }
    const inMemory = shared ?? layout.local.offsets.get(name);
    if (inMemory !== undefined) return bitsConstant('u64', BigInt(inMemory) + offset);
    const variable = layout.global.get(name);
    if (variable === undefined) return this.fail('P1002', `no variable is called ${name}, so it has no address`);
    const address = this.builder.variable(variable);
    return offset === 0n ? address : binary('add', address, bitsConstant('u64', offset));
  }

  memory(
    address: PtxOperand,
    space: AccessSpace | undefined,
    type: ValueType,
    access: (pointer: Expression) => void,
  ): void {
    if (address.kind !== 'address') return this.fail('P1003', `a ${address.kind} is not an address`);
    const to = (bytes: Expression): void => access(pointerCast(type, bytes));
    const { base, offset } = address;
    if (base?.kind === 'symbol') return to(this.#symbolPointer(base.name, offset));
    if (base === undefined && (space === 'shared' || space === 'cluster'))
      return to(this.builder.inMemory('shared', bitsConstant('u32', offset)));
    if (space === 'cluster') return to(this.#inCluster(this.#narrow(base?.name, offset)));
    if (space === 'shared') return to(this.#ownShared(this.#narrow(base?.name, offset)));
    if (space === 'local') return to(this.builder.inMemory(space, this.#narrow(base?.name, offset)));
    if (base === undefined) return to(bytesAt(bitsConstant('u64', offset)));
    const role = this.registers.kind(base.name) === 'u64' ? this.registers.roles.of(base.name) : undefined;
    if (role?.kind === 'pointer') return to(advanceBy(this.registers.local(base.name), offset));
    if (role?.kind === 'narrow' && space === undefined) {
      const at = this.#narrow(base.name, offset);
      return to(role.space === 'shared' ? this.#inCluster(at) : this.builder.inMemory('local', at));
    }
    if (this.registers.bytes(base.name) !== 8) {
      return this.fail('P1003', `${base.name} must be a 64-bit register to address global memory`);
    }
    const number = this.registers.read(base.name, 'u64');
    const sum = offset === 0n ? number : binary('add', number, bitsConstant('u64', offset));
    if (space !== undefined || !this.registers.roles.mayBeTagged) return to(bytesAt(sum));
    return this.#anywhere(this.keep('address', sum), to);
  }

  /** The pointer to an address in the shared memory of the thread's own CTA. */
  #ownShared(at: Expression): Expression {
    return this.builder.inMemory('shared', ofOwnCta(at, this.cluster));
  }

  /** The pointer to an address in the shared memory of any CTA of the cluster. */
  #inCluster(at: Expression): Expression {
    return inCluster(this.builder.memory('shared'), at, this.cluster);
  }

  /** A generic address whose space is known only at run time. */
  #anywhere(address: Expression, to: (bytes: Expression) => void): void {
    const tag = this.keep('space', bitsAs(binary('shr', address, constant('u64', 56n)), 'u32'));
    const low = bitsAs(address, 'u32');
    const isIn = (space: 'shared' | 'local'): Expression =>
      compare('eq', tag, u32Constant(Number(genericTag[space] >> 56n)));
    const { span } = this;
    this.emit({
      kind: 'if',
      condition: isIn('shared'),
      then: this.collect(() => to(this.#inCluster(low))),
      else: [
        {
          kind: 'if',
          condition: isIn('local'),
          then: this.collect(() => to(this.builder.inMemory('local', low))),
          else: this.collect(() => to(bytesAt(address))),
          span,
        },
      ],
      span,
    });
  }

  /** An offset in shared or local memory. */
  #narrow(name: string | undefined, offset: bigint): Expression {
    if (name === undefined) return bitsConstant('u32', offset);
    const at = this.narrow({ kind: 'register', name, isNegated: false });
    return offset === 0n ? at : binary('add', at, bitsConstant('u32', offset));
  }

  /** An address operand as its offset in the memory of its space. */
  narrow(operand: PtxOperand): Expression {
    if (operand.kind !== 'register') return this.value(operand, 'u32');
    const isNarrow =
      this.registers.kind(operand.name) === 'u64' && this.registers.roles.of(operand.name).kind === 'narrow';
    return isNarrow ? this.registers.local(operand.name) : this.value(operand, 'u32');
  }

  /** An address operand as a pointer to bytes of global memory. */
  pointer(operand: PtxOperand): Expression {
    if (operand.kind === 'symbol' && this.builder.layout.global.has(operand.name)) {
      return this.#symbolPointer(operand.name, operand.offset);
    }
    const isPointer =
      operand.kind === 'register' &&
      this.registers.kind(operand.name) === 'u64' &&
      this.registers.roles.of(operand.name).kind === 'pointer';
    return isPointer ? this.registers.local(operand.name) : bytesAt(this.value(operand, 'u64'));
  }

  #symbolPointer(name: string, offset: bigint): Expression {
    const { layout } = this.builder;
    const shared = layout.shared.offsets.get(name);
    if (shared !== undefined) return this.builder.inMemory('shared', bitsConstant('u32', BigInt(shared) + offset));
    const own = layout.local.offsets.get(name);
    if (own !== undefined) return this.builder.inMemory('local', bitsConstant('u32', BigInt(own) + offset));
    const variable = layout.global.get(name);
    if (variable === undefined) return this.fail('P1002', `no variable is called ${name}`);
    return advanceBy(bytesAt(this.builder.variable(variable)), offset);
  }
}
