import { at } from '@nccl-ts/core';
import type { PtxAddressBase, PtxFunction, PtxInstruction, PtxOperand, PtxVariable } from '@nccl-ts/ptx';

/** A word of a parameter. */
export interface ParameterWord {
  /** The offset in bytes from the beginning of the parameter. */
  readonly offset: number;
  readonly bytes: number;
  /** The kind of the word, guessed from its uses. */
  readonly guess: 'pointer' | 'integer' | 'float';
  /** True if it is the first word of an array that is read by an index, whose length is unknown. */
  readonly isIndexed?: true;
}

/** Instructions that copy or change an address. */
const handsOn = new Set(['mov', 'cvta', 'add', 'sub', 'mad', 'selp']);

/**
 * Finds the words of a parameter that `ld.param` reads, by its name or by a moved address. Eight
 * bytes count as a pointer if they become the base of a memory access. They also do if they are
 * kept in local memory, as the fields of indexed structs are.
 */
export function parameterWords(
  { body }: PtxFunction,
  { name, bytes, length, type }: PtxVariable,
): readonly ParameterWord[] {
  const instructions = (body?.items ?? []).flatMap((item) => (item.kind === 'instruction' ? item : []));
  const words = new Map<number, ParameterWord>();
  const locations = locationsIn(instructions, name);
  for (const instruction of instructions) {
    if (instruction.words[0] !== 'ld' || !instruction.words.includes('param')) continue;
    const [into, from] = instruction.operands;
    if (from?.kind !== 'address' || into === undefined) continue;
    const location =
      from.base?.kind === 'symbol' && from.base.name === name ? origin : locationOf(from.base, locations);
    if (location === undefined) continue;
    const element = at(instruction.words, instruction.words.length - 1);
    const bits = /\d+$/.exec(element)?.[0];
    if (bits === undefined) continue;
    const size = Number(bits) / 8;
    for (const [i, register] of registersOf(into).entries()) {
      const offset = location.offset + Number(from.offset) + i * size;
      const guess = element.startsWith('f')
        ? 'float'
        : size === 8 && leads(instructions, register)
          ? 'pointer'
          : 'integer';
      const known = words.get(offset);
      if (known !== undefined && guess !== 'pointer') continue;
      const isIndexed = location.isIndexed || known?.isIndexed === true;
      words.set(offset, { offset, bytes: size, guess, ...(isIndexed ? { isIndexed } : {}) });
    }
  }
  // A parameter that is never read is still passed.
  if (words.size === 0 && length === undefined)
    return [{ offset: 0, bytes, guess: type.startsWith('f') ? 'float' : 'integer' }];
  return [...words.values()].toSorted((a, b) => a.offset - b.offset);
}

/** A location in a parameter whose address is in a register. */
interface ParameterLocation {
  readonly offset: number;
  readonly isIndexed: boolean;
}

const origin: ParameterLocation = { offset: 0, isIndexed: false };

/**
 * Finds the registers that hold an address in a parameter. It is the parameter's own address, moved
 * by constants and by at most one index.
 */
function locationsIn(instructions: readonly PtxInstruction[], name: string): ReadonlyMap<string, ParameterLocation> {
  const locations = new Map<string, ParameterLocation>();
  for (let before = -1; before !== locations.size;) {
    before = locations.size;
    for (const { words, operands } of instructions) {
      const [into, a, b] = operands;
      if (into?.kind !== 'register' || a === undefined || locations.has(into.name)) continue;
      if (words[0] === 'mov' && a.kind === 'symbol' && a.name === name) {
        locations.set(into.name, { offset: Number(a.offset), isIndexed: false });
      } else if (words[0] === 'mov' || words[0] === 'cvta') {
        const from = locationOf(a, locations);
        if (from !== undefined) locations.set(into.name, from);
      } else if (words[0] === 'add' && b !== undefined) {
        const [from, by] =
          locationOf(a, locations) === undefined ? [locationOf(b, locations), a] : [locationOf(a, locations), b];
        if (from === undefined) continue;
        if (by.kind === 'integer') locations.set(into.name, { ...from, offset: from.offset + Number(by.value) });
        else if (!from.isIndexed) locations.set(into.name, { ...from, isIndexed: true });
      }
    }
  }
  return locations;
}

function locationOf(
  operand: PtxOperand | PtxAddressBase | undefined,
  locations: ReadonlyMap<string, ParameterLocation>,
): ParameterLocation | undefined {
  return operand?.kind === 'register' ? locations.get(operand.name) : undefined;
}

/** True if a memory access uses a register, or a value computed from it, as its address. */
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
