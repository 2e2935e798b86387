import type { PtxFunction, PtxInstruction, PtxOperand, PtxVariable } from '@nccl-ts/ptx';

/** A word of a parameter. */
export interface ParameterWord {
  /** In bytes, from the beginning of the parameter. */
  readonly offset: number;
  readonly bytes: number;
  /** A guess, by what becomes of it. */
  readonly guess: 'pointer' | 'integer' | 'float';
}

/** Instructions that hand an address on. */
const handsOn = new Set(['mov', 'cvta', 'add', 'sub', 'mad', 'selp']);

/**
 * The words of a parameter that `ld.param` reads. Eight bytes that become the base of a memory access, or are kept in local memory as the
 * fields of structs are that are indexed, are guessed to be a pointer.
 */
export function parameterWords(
  { body }: PtxFunction,
  { name, bytes, length, type }: PtxVariable,
): readonly ParameterWord[] {
  const instructions = (body?.items ?? []).flatMap((item) => (item.kind === 'instruction' ? item : []));
  const words = new Map<number, ParameterWord>();
  for (const instruction of instructions) {
    if (instruction.words[0] !== 'ld' || !instruction.words.includes('param')) continue;
    const [into, from] = instruction.operands;
    if (from?.kind !== 'address' || from.base?.kind !== 'symbol' || from.base.name !== name || into === undefined)
      continue;
    const element = instruction.words.at(-1) ?? '';
    const size = Number(/\d+$/.exec(element)?.[0] ?? 0) / 8;
    for (const [i, register] of registersOf(into).entries()) {
      const offset = Number(from.offset) + i * size;
      const guess = element.startsWith('f')
        ? 'float'
        : size === 8 && leads(instructions, register)
          ? 'pointer'
          : 'integer';
      const known = words.get(offset);
      if (known === undefined || guess === 'pointer') words.set(offset, { offset, bytes: size, guess });
    }
  }
  // One that is never read is passed too.
  if (words.size === 0 && length === undefined)
    return [{ offset: 0, bytes, guess: type.startsWith('f') ? 'float' : 'integer' }];
  return [...words.values()].toSorted((a, b) => a.offset - b.offset);
}

/** Whether a register, or what is made of it, is where a memory access goes. */
function leads(instructions: readonly PtxInstruction[], register: string): boolean {
  const reached = new Set([register]);
  for (let before = 0; before < reached.size;) {
    before = reached.size;
    for (const { words, operands } of instructions) {
      const [opcode] = words;
      const [into, ...from] = operands;
      if (
        operands.some(
          (operand) =>
            operand.kind === 'address' && operand.base?.kind === 'register' && reached.has(operand.base.name),
        )
      ) {
        return true;
      }
      const takes = from.some((operand) => registersOf(operand).some((one) => reached.has(one)));
      if (takes && opcode === 'st' && words.includes('local')) return true;
      if (takes && handsOn.has(opcode) && words.some((word) => word.endsWith('64')) && into?.kind === 'register')
        reached.add(into.name);
    }
  }
  return false;
}

function registersOf(operand: PtxOperand): readonly string[] {
  if (operand.kind === 'register') return [operand.name];
  return operand.kind === 'vector' ? operand.elements.flatMap(registersOf) : [];
}
