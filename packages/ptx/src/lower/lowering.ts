import type { ScalarKind } from '@nccl-ts/core';
import type { Expression, LocalId, Span, Statement, Type, ValueType } from '@nccl-ts/ir';
import type { PtxDiagnosticCode } from '../diagnostic.ts';
import type { PtxInstruction, PtxOperand, PtxStateSpace } from '../syntax/module.ts';
import type { BarrierUses } from './barrier-uses.ts';

/**
 * The context in which the lowering of one instruction runs. A register is a local of the module.
 * Its IR type is chosen once for the function, and no lowering needs to know which. `.pred` is
 * bool, 16 bits are u16, 32 bits u32 or f32, 64 bits u64, f64 or a pointer, and 128 bits vec(u32,
 * 4).
 *
 * The guard of an instruction is handled outside: with a guard, the emitted statements are put into
 * an `if`.
 */
export interface Lowering {
  /** The span of the instruction: for statements and for expressions that may fault. */
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
   * The carry flag: a u32 local that is 0 or 1, one for the function. Only instructions with `.cc`,
   * and those that read the flag, use it.
   */
  carry(): LocalId;

  /** True if an operand is a `.pred` register. */
  isPredicate(operand: PtxOperand): boolean;

  /** A `.pred` operand, negated if marked so; `true` and `false` of integer literals. */
  predicate(operand: PtxOperand): Expression;

  /**
   * Emits `register = value`. The bits of `value` (a scalar of any kind, no wider than the
   * register; vec(u32, 4) for 128 bits) become those of the register. A narrower integer is widened
   * by its kind: signed ones carry their sign upwards. A bool goes to a `.pred` register. `_` drops
   * the value.
   */
  assign(operand: PtxOperand, value: Expression): void;

  /** How the function uses its barriers. */
  readonly barriers: BarrierUses;

  /** Emits a statement. */
  emit(statement: Statement): void;

  /** A new local of the module. */
  local(name: string, type: Type): LocalId;

  /**
   * Emits `local = value` and gives the local as an expression: for values that are used more than
   * once.
   */
  keep(name: string, value: Expression): Expression;

  /**
   * Calls `access` with a pointer to `type` at the address operand, once for each state space that
   * the address may be in. The statements of each call run if the address is in that space. `space`
   * is the instruction's own; absent: the address is generic. A `.const` address points into global
   * memory. Does not support `.param` addresses.
   */
  memory(
    address: PtxOperand,
    space: PtxStateSpace | undefined,
    type: ValueType,
    access: (pointer: Expression) => void,
  ): void;

  /**
   * An array of u32 words in the block's shared memory, separate from the text's own: the one of
   * this name, for all instructions of the function that request it. Its words are 0 before the
   * first instruction runs.
   */
  sharedWords(name: string, length: number): Expression;

  /** The address of the rank's `gridWorkspace`, a u64. */
  gridWorkspace(): Expression;

  /**
   * A u32 local that all instructions of the function share by its name. It is 0 before the first
   * instruction runs.
   */
  ownWord(name: string): LocalId;

  /**
   * An array in the thread's own memory, shared by its name like `ownWord`. Its initial content is
   * undefined.
   */
  ownArray(name: string, scalar: ScalarKind, length: number): Expression;

  /**
   * The pointer to a `type` at an address that `value` gave: u64 in global memory, u32 in shared
   * memory.
   */
  pointerAt(space: 'global' | 'shared', address: Expression, type: ValueType): Expression;

  /** Gives up on the instruction: reports a diagnostic, and translation continues after it. */
  fail(code: PtxDiagnosticCode, message: string, help?: string): never;
}

/** Emits the effect of an instruction. */
export type InstructionLowering = (instruction: PtxInstruction, lowering: Lowering) => void;

/** By opcode (`words[0]`). */
export type LoweringTable = Readonly<Record<string, InstructionLowering>>;
