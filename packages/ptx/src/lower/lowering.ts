import type { Fidelity, ScalarKind } from '@nccl-ts/core';
import type { ClusterSize, Expression, LocalId, Span, Statement, Type, ValueType } from '@nccl-ts/ir';
import type { PtxDiagnosticCode } from '../syntax/diagnostic.ts';
import type { PtxInstruction, PtxOperand } from '../syntax/module.ts';
import type { AccessSpace } from './instruction-parts.ts';
import type { BarrierUses } from './barrier-uses.ts';

/**
 * The context in which the lowering of one instruction runs. A register is a local of the module.
 * Its IR type is chosen once for the function, and no lowering needs to know which. `.pred` is
 * bool, 16 bits are u16, 32 bits u32 or f32, 64 bits u64, f64 or a pointer, and 128 bits vec(u32,
 * 4).
 *
 * The caller handles the guard of an instruction, by an `if` around the emitted statements.
 */
export interface Lowering {
  /** The span of the instruction, for statements and for expressions that may fault. */
  readonly span: Span;

  /**
   * The operand's bits as a value of `scalar`. A wider register is cut to its low bits, and a
   * narrower one is an error. f16, bf16 and f32 are the bits of the register. Integer literals are
   * cut to the width, and float literals are bits.
   */
  value(operand: PtxOperand, scalar: ScalarKind): Expression;

  /** The bits of a 128-bit register as vec(u32, 4), the lowest first. */
  quad(operand: PtxOperand): Expression;

  /**
   * The carry flag. It is one u32 local of the function, with the value 0 or 1. Only instructions
   * with `.cc`, and those that read the flag, use it.
   */
  carry(): LocalId;

  /** True if an operand is a `.pred` register. */
  isPredicate(operand: PtxOperand): boolean;

  /**
   * The value of a `.pred` operand, negated if it is marked so. An integer literal is `true` or
   * `false`.
   */
  predicate(operand: PtxOperand): Expression;

  /**
   * Emits `register = value`, which copies the bits of `value`. It may be any scalar that is not
   * wider than the register, or vec(u32, 4) for 128 bits. A narrower integer is widened, with its
   * sign if it is signed. A bool is for a `.pred` register. `_` drops the value.
   */
  assign(operand: PtxOperand, value: Expression): void;

  /** The clusters of the launch. Absent if every CTA is one by itself, and no instruction asks. */
  readonly cluster: ClusterSize | undefined;

  /** How the function uses its barriers. */
  readonly barriers: BarrierUses;

  /** Emits a statement. */
  emit(statement: Statement): void;

  /** Adds a local to the module. */
  local(name: string, type: Type): LocalId;

  /** Emits `local = value` and returns the local, for values that are used more than once. */
  keep(name: string, value: Expression): Expression;

  /**
   * Calls `access` with a pointer to `type` at the address operand, once for each state space that
   * the address may be in. The statements of each call run if the address is in that space. `space`
   * is the instruction's own. If absent, the address is generic. A `.const` address points into
   * global memory. `.param` addresses are not supported.
   */
  memory(
    address: PtxOperand,
    space: AccessSpace | undefined,
    type: ValueType,
    access: (pointer: Expression) => void,
  ): void;

  /**
   * An array of u32 words in the block's shared memory, separate from the text's own. All
   * instructions of the function share it by its name. Its words are 0 before the first instruction
   * runs.
   */
  sharedWords(name: string, length: number): Expression;

  /** The address of the rank's `gridWorkspace`, a u64. */
  gridWorkspace(): Expression;

  /** Emits `local = value`, as `keep` does, and notes that the value is unknown. */
  unknown(name: string, value: Expression): Expression;

  /** An address that only this rank has, a u64. */
  rankMark(): Expression;

  /**
   * A u32 local that all instructions of the function share by its name. It is 0 before the first
   * instruction runs.
   */
  ownWord(name: string): LocalId;

  /**
   * An array in the thread's own memory, shared by its name like `ownWord`. Its initial contents
   * are undefined.
   */
  ownArray(name: string, scalar: ScalarKind, length: number): Expression;

  /** The statements that `emits` emits, which are not emitted otherwise. */
  collect(emits: () => void): readonly Statement[];

  /**
   * The pointer to a `type` at an address from `value`. The address is a u64 in global memory, and
   * a u32 in shared memory, that of the CTA or of the cluster.
   */
  pointerAt(space: 'global' | 'shared' | 'cluster', address: Expression, type: ValueType): Expression;

  /**
   * Reports a diagnostic and stops lowering the instruction. Translation continues with the next
   * one.
   */
  fail(code: PtxDiagnosticCode, message: string, help?: string): never;
}

/** Emits the effect of an instruction. */
export type InstructionLowering = (instruction: PtxInstruction, lowering: Lowering) => void;

/** Lowerings by opcode (`words[0]`). */
export type LoweringTable = Readonly<Record<string, InstructionLowering>>;

/** How closely an instruction is modelled. */
export interface InstructionFidelity {
  readonly fidelity: Fidelity;
  /** The modifiers that change it. */
  readonly modifiers?: Readonly<Record<string, Fidelity>>;
}

export interface InstructionRow extends InstructionFidelity {
  readonly lower: InstructionLowering;
}

/** The instructions by opcode. */
export type InstructionTable = Readonly<Record<string, InstructionRow>>;

/** Rows for instructions that are modelled alike. */
export function rowsOf(lowerings: LoweringTable, fidelity: Fidelity): InstructionTable {
  return Object.fromEntries(Object.entries(lowerings).map(([opcode, lower]) => [opcode, { lower, fidelity }]));
}

/** Names what `instruction` does otherwise than machines may, for the checks that execute it. */
export function nameApproximations(
  { words }: PtxInstruction,
  { fidelity, modifiers = {} }: InstructionFidelity,
  lowering: Lowering,
): void {
  nameApproximation(fidelity, lowering);
  for (const word of words.slice(1)) {
    if (Object.hasOwn(modifiers, word)) nameApproximation(modifiers[word], lowering);
  }
}

/** Rounding changes no order, so no check names it. Refused constructs do not get here. */
export function nameApproximation(fidelity: Fidelity | undefined, lowering: Lowering): void {
  if (fidelity?.kind === 'opaque' && fidelity.test !== undefined) {
    lowering.emit({ kind: 'approximate', how: fidelity.why, isOpaque: true, span: lowering.span });
  }
  if (fidelity?.kind !== 'approximate' || fidelity.errs === 'rounds') return;
  lowering.emit({ kind: 'approximate', how: fidelity.how, span: lowering.span });
}
