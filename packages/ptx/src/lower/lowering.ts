import type { ScalarKind } from '@nccl-ts/core';
import type { Expression, LocalId, Span, Statement, Type, ValueType } from '@nccl-ts/ir';
import type { PtxDiagnosticCode } from '../diagnostic.ts';
import type { PtxInstruction, PtxOperand, PtxStateSpace } from '../syntax/module.ts';

/**
 * What the lowering of one instruction works with. A register is a local of the module; its IR type
 * is chosen once for the function (`.pred` bool; 16 bits u16; 32 bits u32 or f32; 64 bits u64, f64
 * or a pointer; 128 bits vec(u32, 4)), and no lowering needs to know which.
 *
 * The guard of an instruction is not the lowering's business: what it emits stands in an `if` where
 * there is a guard.
 */
export interface Lowering {
  /** Of the instruction: for statements and for expressions that may fault. */
  readonly span: Span;

  /**
   * The operand's bits as a value of `scalar`. A wider register is cut to its low bits, a narrower
   * one is an error; f16, bf16 and f32 are the bits of the register. Integer literals are cut to
   * the width; float literals are bits.
   */
  value(operand: PtxOperand, scalar: ScalarKind): Expression;

  /** The bits of a 128-bit register as vec(u32, 4), the lowest first. */
  quad(operand: PtxOperand): Expression;

  /**
   * The carry flag: a u32 local that is 0 or 1, one for the function, which only the instructions
   * with `.cc` and the ones that take it up know.
   */
  carry(): LocalId;

  /** True if an operand is a `.pred` register. */
  isPredicate(operand: PtxOperand): boolean;

  /** A `.pred` operand, negated where it says so; `true` and `false` of integer literals. */
  predicate(operand: PtxOperand): Expression;

  /**
   * Emits `register = value`. The bits of `value` (a scalar of any kind, no wider than the
   * register; vec(u32, 4) for 128 bits) become those of the register. A narrower integer is widened
   * by its kind: signed ones carry their sign upwards. A bool goes to a `.pred` register. `_` drops
   * the value.
   */
  assign(operand: PtxOperand, value: Expression): void;

  /** Emits a statement. */
  emit(statement: Statement): void;

  /** A local of the module that nobody else uses. */
  local(name: string, type: Type): LocalId;

  /**
   * Emits `local = value` and gives the local as an expression: for values that are used more than
   * once.
   */
  keep(name: string, value: Expression): Expression;

  /**
   * Calls `access` with a pointer to `type` at the address operand, once for each state space in
   * which the address may lie; what a call emits stands where the address lies in that space.
   * `space` is what the instruction names; absent: the address is generic. A `.const` address leads
   * into global memory. `.param` addresses are not the business of this.
   */
  memory(
    address: PtxOperand,
    space: PtxStateSpace | undefined,
    type: ValueType,
    access: (pointer: Expression) => void,
  ): void;

  /**
   * An array of u32 words in the block's shared memory, none of the text's own: the one of this
   * name, for all instructions of the function that ask for it. Its words are 0 before the first
   * instruction runs.
   */
  sharedWords(name: string, length: number): Expression;

  /**
   * A u32 local that all instructions of the function share by its name. It is 0 before the first
   * instruction runs.
   */
  ownWord(name: string): LocalId;

  /**
   * An array in the thread's own memory, shared by its name like `ownWord`. What is in it before it
   * is written is not said.
   */
  ownArray(name: string, scalar: ScalarKind, length: number): Expression;

  /**
   * The pointer to a `type` at an address that `value` gave: u64 in global memory, u32 in shared
   * memory.
   */
  pointerAt(space: 'global' | 'shared', address: Expression, type: ValueType): Expression;

  /**
   * Gives up on the instruction: it becomes a diagnostic at the instruction, and translation goes
   * on behind it.
   */
  fail(code: PtxDiagnosticCode, message: string, help?: string): never;
}

/** Emits what an instruction does. */
export type InstructionLowering = (instruction: PtxInstruction, lowering: Lowering) => void;

/** By opcode (`words[0]`). */
export type LoweringTable = Readonly<Record<string, InstructionLowering>>;
