import { binary, builtin, compare, constant, convert, scalarType, select, type Expression } from '@nccl-ts/ir';
import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import { mnemonic } from '../instruction-parts.ts';
import type { Lowering } from '../lowering.ts';
import { add, and, or, u32 } from './build.ts';

/*
 * An opaque value is a function of the values that it is computed from, and nothing else is known
 * of it. Equal operands give equal values, as on hardware, so what is stored twice by two warps
 * with the same operands is the same value; and a load whose value becomes an operand is used. As a
 * pair of f16, as a pair of bf16 and as an f32 it is a number between 0 and 2.
 */
const FACTOR = 0x9e3779b1;

/** The words of opaque values, for the results of one instruction. */
export class OpaqueValues {
  readonly #lowering: Lowering;
  readonly #seed: Expression;

  constructor(instruction: PtxInstruction, lowering: Lowering, operands: readonly Expression[]) {
    this.#lowering = lowering;
    const seed = u32(Array.from(mnemonic(instruction)).reduce((sum, one) => (sum * 31 + one.charCodeAt(0)) >>> 0, 7));
    this.#seed = lowering.unknown('opaque', operands.reduce(mixed, seed));
  }

  /** Word number `index`. */
  word(index: number): Expression {
    const scrambled = binary('mul', add(this.#seed, u32(index)), u32(FACTOR));
    const bits = or(binary('shr', scrambled, u32(15)), scrambled);
    return or(and(bits, u32(0x03ff03ff)), u32(0x3c003c00));
  }

  /** Sets the registers to opaque values, from word `first` on. */
  assign(registers: readonly PtxOperand[], first = 0): void {
    registers.forEach((register, index) => {
      if (register.kind === 'register' && this.#lowering.isPredicate(register)) {
        this.#lowering.assign(register, compare('ne', and(this.word(first + index), u32(1)), u32(0)));
      } else this.#lowering.assign(register, this.word(first + index));
    });
  }
}

/**
 * The words that tell this thread from all others, of all ranks. They are operands of values that
 * depend on memory whose contents are not followed, so that two threads do not have equal ones.
 */
export function identityOf(lowering: Lowering): readonly Expression[] {
  const address = lowering.keep('rank', lowering.rankMark());
  const word = scalarType('u32');
  return [
    builtin('threadLinear'),
    ...(['blockIdx.x', 'blockIdx.y', 'blockIdx.z'] as const).map((name) => builtin(name)),
    convert(word, address),
    convert(word, binary('shr', address, constant('u64', 32n))),
  ];
}

/** Mixes a word into others. */
export function mixed(sum: Expression, one: Expression): Expression {
  return add(binary('mul', sum, u32(FACTOR)), one);
}

/** The words of registers that an instruction reads, for opaque values. */
export function wordsOf(lowering: Lowering, operands: readonly PtxOperand[], isWide = false): readonly Expression[] {
  return operands.flatMap((operand): readonly Expression[] => {
    if (operand.kind === 'vector' || operand.kind === 'list') return wordsOf(lowering, operand.elements, isWide);
    if (operand.kind === 'sink') return [];
    if (lowering.isPredicate(operand)) return [select(lowering.predicate(operand), u32(1), u32(0))];
    if (!isWide) return [lowering.value(operand, 'u32')];
    const value = lowering.keep('wide', lowering.value(operand, 'u64'));
    const high = binary('shr', value, constant('u64', 32n));
    return [convert(scalarType('u32'), value), convert(scalarType('u32'), high)];
  });
}
