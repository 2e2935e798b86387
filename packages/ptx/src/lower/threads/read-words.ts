import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { mnemonic } from '../instruction-parts.ts';

/** Which words of an instruction say the same thing: at most one of each slot may stand there. */
export type Slots = Readonly<Record<string, readonly string[]>>;

/** The word that an instruction has in a slot; `undefined` where it has none. */
export type ReadWord<S extends Slots> = (slot: keyof S & string) => string | undefined;

/**
 * Sorts the modifiers of an instruction into slots. A word that is in none, and a second one in the same slot, becomes a
 * diagnostic: a modifier that nobody looks at could change what the instruction means.
 */
export function readWords<S extends Slots>(instruction: PtxInstruction, lowering: Lowering, slots: S): ReadWord<S> {
  const found = new Map<string, string>();
  const [, ...modifiers] = instruction.words;
  for (const word of modifiers) {
    const slot = Object.entries(slots).find(([, words]) => words.includes(word))?.[0];
    if (slot === undefined) {
      return lowering.fail(
        'P2002',
        `Cannot translate ${mnemonic(instruction)} because its modifier .${word} is not supported.`,
        `The modifiers are ${listed(Object.values(slots).flat())}.`,
      );
    }
    const before = found.get(slot);
    if (before !== undefined) {
      return lowering.fail(
        'P1003',
        `Cannot translate ${mnemonic(instruction)} because it takes only one of .${before} and .${word}.`,
      );
    }
    found.set(slot, word);
  }
  return (slot) => found.get(slot);
}

/** The word of a slot that an instruction must have. */
export function requireWord<S extends Slots>(
  word: ReadWord<S>,
  slot: keyof S & string,
  instruction: PtxInstruction,
  lowering: Lowering,
): string {
  return (
    word(slot) ??
    lowering.fail('P1003', `Cannot translate ${mnemonic(instruction)} because it does not say its ${slot}.`)
  );
}

/** The operands of an instruction, if there are as many as it takes. */
export function operandsOf(
  instruction: PtxInstruction,
  lowering: Lowering,
  least: number,
  most: number = least,
): readonly PtxOperand[] {
  const { operands } = instruction;
  if (operands.length >= least && operands.length <= most) return operands;
  const wanted = least === most ? `${least}` : `${least} to ${most}`;
  return lowering.fail(
    'P1003',
    `Cannot translate ${mnemonic(instruction)} because it has ${operands.length} operands and takes ${wanted}.`,
  );
}

/** Operand number `index`. */
export function operandAt(instruction: PtxInstruction, lowering: Lowering, index: number): PtxOperand {
  return (
    instruction.operands[index] ??
    lowering.fail('P1003', `Cannot translate ${mnemonic(instruction)} because it lacks operand ${index + 1}.`)
  );
}

/** The two sides of `d|p`: `p` absent where there is none. */
export function resultPair(operand: PtxOperand): { readonly value: PtxOperand; readonly predicate?: PtxOperand } {
  return operand.kind === 'pair' ? { value: operand.first, predicate: operand.second } : { value: operand };
}

/** The operands of a vector: the operand itself where it is none. */
export function elementsOf(operand: PtxOperand): readonly PtxOperand[] {
  return operand.kind === 'vector' ? operand.elements : [operand];
}

function listed(words: readonly string[]): string {
  return words.map((word) => `.${word}`).join(', ');
}
