import type { PtxInstruction, PtxOperand } from '../../syntax/module.ts';
import type { Lowering } from '../lowering.ts';
import { mnemonic } from '../instruction-parts.ts';

/** The alternative words of an instruction. At most one of each slot is allowed. */
export type WordAlternatives = Readonly<Record<string, readonly string[]>>;

/** The modifiers of an instruction, by slot. */
export interface Words<S extends WordAlternatives> {
  /** The word in a slot, or `undefined` if there is none. */
  get(slot: keyof S & string): string | undefined;
  /** The word in a slot. Reports a diagnostic if there is none. */
  need(slot: keyof S & string): string;
  /** Reports a diagnostic if there is a word in one of the slots. */
  forbid(...slots: readonly (keyof S & string)[]): void;
}

/** The length of the longest list in a message. */
const MOST_LISTED = 12;

/**
 * Sorts the modifiers of an instruction into slots. A word in no slot, or a second one in the same
 * slot, becomes a diagnostic, because an ignored modifier could change the meaning of the
 * instruction.
 */
export function readWords<S extends WordAlternatives>(
  instruction: PtxInstruction,
  lowering: Lowering,
  slots: S,
): Words<S> {
  const found = new Map<string, string>();
  const [, ...modifiers] = instruction.words;
  const name = mnemonic(instruction);
  for (const word of modifiers) {
    const slot = Object.entries(slots).find(([, words]) => words.includes(word))?.[0];
    if (slot === undefined) {
      const known = Object.values(slots).flat();
      const help = known.length === 0 || known.length > MOST_LISTED ? undefined : `the modifiers are ${listed(known)}`;
      return lowering.fail('P2002', `${name} has the modifier .${word}, which is not supported`, help);
    }
    const before = found.get(slot);
    if (before !== undefined) {
      return lowering.fail('P1003', `${name} takes only one of .${before} and .${word}`);
    }
    found.set(slot, word);
  }
  return {
    get: (slot) => found.get(slot),
    need: (slot) => found.get(slot) ?? lowering.fail('P1003', `${name} needs ${listed(slots[slot] ?? [], ' or ')}`),
    forbid: (...names) => {
      const word = names.map((slot) => found.get(slot)).find((one) => one !== undefined);
      if (word !== undefined) lowering.fail('P1003', `${name} does not take .${word}`);
    },
  };
}

/** Returns the operands of an instruction, and checks their number. */
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
    `${mnemonic(instruction)} needs ${wanted} ${most === 1 ? 'operand' : 'operands'} and has ${operands.length}`,
  );
}

/** Operand number `index`. */
export function operandAt(instruction: PtxInstruction, lowering: Lowering, index: number): PtxOperand {
  return instruction.operands[index] ?? lowering.fail('P1003', `${mnemonic(instruction)} lacks operand ${index + 1}`);
}

/** The two sides of `d|p`. `p` is absent if there is none. */
export function resultPair(operand: PtxOperand): { readonly value: PtxOperand; readonly predicate?: PtxOperand } {
  return operand.kind === 'pair' ? { value: operand.first, predicate: operand.second } : { value: operand };
}

/** The operands of a vector, or the operand itself if it is not a vector. */
export function elementsOf(operand: PtxOperand): readonly PtxOperand[] {
  return operand.kind === 'vector' ? operand.elements : [operand];
}

/** Formats a list as `.a, .b or .c`. */
function listed(words: readonly string[], last: string = ', '): string {
  const dotted = words.map((word) => `.${word}`);
  const end = dotted.at(-1) ?? '';
  return dotted.length < 2 ? end : `${dotted.slice(0, -1).join(', ')}${last}${end}`;
}
