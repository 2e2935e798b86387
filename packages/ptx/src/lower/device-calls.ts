import { approximate } from '@nccl-ts/core';
import { compare, constant, convert, scalarType, type Expression, type Module, type Param } from '@nccl-ts/ir';
import type { Kernel } from '@nccl-ts/kernel';
import type { CallMap, DeviceCall } from '../call-map.ts';
import { callParts } from '../flow/inline-calls.ts';
import type { PtxBody, PtxInstruction, PtxOperand, PtxVariable } from '../syntax/module.ts';
import { setBy, spaceOf } from './instruction-parts.ts';
import type { InstructionLowering } from './lower-instruction.ts';
import { nameApproximation } from './lowering.ts';
import { bytesAt } from './module-builder.ts';
import type { ParamMemory } from './param-memory.ts';
import { bitsAs, unsignedOf } from './scalar-bits.ts';
import { spliceModule } from './splice-module.ts';

/** Calls of functions that a call map defines. */
export class DeviceCalls {
  readonly #calls: CallMap;
  readonly #params: ParamMemory;
  readonly #variables: ReadonlyMap<string, PtxVariable>;
  readonly #numbers: ReadonlyMap<string, bigint>;
  readonly #kernels = new Map<string, Kernel | string>();

  constructor(calls: CallMap, body: PtxBody, params: ParamMemory) {
    this.#calls = calls;
    this.#params = params;
    this.#variables = new Map(body.variables.map((variable) => [variable.name, variable]));
    this.#numbers = numbersStored(body);
  }

  /** Emits the effect of a call; returns false if the map has no such function. */
  lower(instruction: PtxInstruction, lowering: InstructionLowering): boolean {
    const { callee, args, results } = callParts(instruction);
    const call = callee === undefined ? undefined : this.#calls.get(callee);
    if (callee === undefined || call === undefined) return false;
    if (args.length !== call.params.length) {
      lowering.fail(
        'P2004',
        `${callee} takes ${call.params.length} ${call.params.length === 1 ? 'argument' : 'arguments'}, but the call passes ${args.length}`,
        'compile the kernel against the headers of this version: nccl-ts include-path prints where they are',
      );
    }
    nameApproximation(call.fidelity ?? approximate(`${callee} by the meaning that the call map gives it`), lowering);
    const kernel = this.#kernelOf(callee, call, args, lowering);
    const module = kernel.compile();
    const values = this.#arguments(module, kernel, call, args, lowering);
    const { body, result } = spliceModule(lowering.builder, module, values, lowering.span);
    lowering.emit({ kind: 'call', name: kernel.name, statics: [], args: [], body, span: lowering.span });
    const [into] = results;
    if (into === undefined) return true;
    if (result === undefined)
      return lowering.fail('P2004', `${callee} returns nothing here, but the call uses its result`);
    this.#give(into, result, lowering);
    return true;
  }

  #kernelOf(callee: string, call: DeviceCall, args: readonly PtxOperand[], lowering: InstructionLowering): Kernel {
    const known = call.params.flatMap(({ name, isKnown }, index) => {
      if (isKnown !== true) return [];
      const value = this.#number(args[index]);
      if (value !== undefined) return [Number(value)];
      return lowering.fail(
        'P3003',
        `${name} of ${callee} must be a compile-time constant`,
        'pass a constant, with one call for each value',
      );
    });
    const key = `${callee}(${known.join()})`;
    const kernel = this.#kernels.get(key) ?? call.kernel(known);
    this.#kernels.set(key, kernel);
    if (typeof kernel !== 'string') return kernel;
    return lowering.fail('P2004', `${callee} cannot be called in this way: ${kernel}`);
  }

  #number(operand: PtxOperand | undefined): bigint | undefined {
    if (operand?.kind === 'integer') return BigInt.asIntN(32, operand.value);
    const value = operand?.kind === 'symbol' ? this.#numbers.get(operand.name) : undefined;
    return value === undefined ? undefined : BigInt.asIntN(32, value);
  }

  #arguments(
    { params }: Module,
    kernel: Kernel,
    call: DeviceCall,
    args: readonly PtxOperand[],
    lowering: InstructionLowering,
  ): readonly (Expression | undefined)[] {
    return params.map((param) => {
      const type = kernel.params[param.name];
      if (type?.kind === 'handle') return lowering.builder.handle(param.name, param.type, type);
      const index = call.params.findIndex(({ name }) => name === param.name);
      const operand = args[index];
      if (operand === undefined) return lowering.fail('P2004', `the call lacks an argument for ${param.name}`);
      return lowering.keep(param.name, this.#value(operand, param, lowering));
    });
  }

  #value(operand: PtxOperand, { type }: Param, lowering: InstructionLowering): Expression {
    const bits = this.#bits(operand, lowering);
    if (type.kind === 'pointer') return bytesAt(bitsAs(bits, 'u64'));
    if (type.kind !== 'scalar') return bits;
    if (type.scalar === 'addr') return convert(type, bits);
    if (type.scalar === 'bool') return compare('ne', bitsAs(bits, 'u32'), constant('u32', 0));
    return bitsAs(bits, type.scalar);
  }

  #bits(operand: PtxOperand, lowering: InstructionLowering): Expression {
    const variable = operand.kind === 'symbol' ? this.#variables.get(operand.name) : undefined;
    if (variable === undefined) return lowering.value(operand, 'u64');
    return this.#params.variable(variable, lowering);
  }

  #give(into: PtxOperand, value: Expression, lowering: InstructionLowering): void {
    const bits = value.type.kind === 'pointer' ? convert(scalarType('u64'), value) : value;
    const variable = into.kind === 'symbol' ? this.#variables.get(into.name) : undefined;
    if (variable === undefined) return lowering.assign(into, bits);
    const piece = this.#params.variable(variable, lowering);
    if (piece.kind !== 'local') return;
    lowering.set(piece.local, bitsAs(bits, unsignedOf(variable.bytes)));
  }
}

/** The variables of calls that are set only once, to a number. */
function numbersStored({ items }: PtxBody): ReadonlyMap<string, bigint> {
  const moved = new Map<string, bigint | undefined>();
  for (const item of items) {
    if (item.kind === 'label') continue;
    const [, from] = item.operands;
    const isMove = item.words[0] === 'mov' && item.guard === undefined && from?.kind === 'integer';
    for (const name of setBy(item)) moved.set(name, isMove && !moved.has(name) ? from.value : undefined);
  }
  const stored = new Map<string, bigint | undefined>();
  for (const item of items) {
    if (item.kind === 'label' || item.words[0] !== 'st' || spaceOf(item) !== 'param') continue;
    const [at, value] = item.operands;
    if (at?.kind !== 'address' || at.base?.kind !== 'symbol') continue;
    const number =
      value?.kind === 'integer' ? value.value : value?.kind === 'register' ? moved.get(value.name) : undefined;
    const { name } = at.base;
    const isOne = number !== undefined && (!stored.has(name) || stored.get(name) === number);
    stored.set(name, isOne ? number : undefined);
  }
  const numbers = new Map<string, bigint>();
  for (const [name, value] of stored) if (value !== undefined) numbers.set(name, value);
  return numbers;
}
