import type { PtxInstruction, PtxOperand, PtxType } from '../syntax/module.ts';
import { readBy, setBy, typesOf } from './instruction-parts.ts';

/** The operand of an addition that is the address. The other operand is the offset. */
export type AddressOperand = (a: PtxOperand, b: PtxOperand) => 'first' | 'second' | undefined;

/** Instructions through which an address flows. */
const carries: ReadonlySet<string> = new Set(['mov', 'cvta', 'add', 'sub', 'selp', 'mad']);

function isWide({ words }: PtxInstruction): boolean {
  return words.includes('wide');
}

/** The operands of an instruction from which the address in its result may come. */
export function addressSources(instruction: PtxInstruction, addressOperand: AddressOperand): readonly PtxOperand[] {
  const [opcode] = instruction.words;
  const [, a, b, c] = instruction.operands;
  if (a === undefined || !carries.has(opcode)) return [];
  switch (opcode) {
    case 'mov':
    case 'cvta':
      return [a];
    case 'selp':
      return b === undefined ? [] : [a, b];
    case 'mad':
      return isWide(instruction) && c !== undefined ? [c] : [];
    case 'sub':
      return [a];
    default: {
      if (b === undefined) return [];
      const which = addressOperand(a, b);
      return which === undefined ? [] : [which === 'first' ? a : b];
    }
  }
}

/** The registers that accesses use as addresses, and those that flow into them. */
export function addressRegisters(
  items: readonly PtxInstruction[],
  definitions: ReadonlyMap<string, readonly PtxInstruction[]>,
  is64: (name: string) => boolean,
  addressOperand: AddressOperand,
): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (name: string): void => {
    if (is64(name)) found.add(name);
  };
  for (const { operands } of items) {
    for (const operand of operands) {
      if (operand.kind === 'address' && operand.base?.kind === 'register') add(operand.base.name);
    }
  }
  for (const name of found) {
    for (const item of definitions.get(name) ?? []) {
      for (const source of addressSources(item, addressOperand)) if (source.kind === 'register') add(source.name);
    }
  }
  return found;
}

const wideTypes: ReadonlySet<PtxType> = new Set(['s64', 'u64', 'b64']);

/** Registers whose value is certainly a number: products, and shifted and widened numbers. */
export function offsetRegisters(
  items: readonly PtxInstruction[],
  is64: (name: string) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>();
  const others = new Set<string>();
  for (const item of items) {
    const [opcode] = item.words;
    const isOffset =
      opcode === 'mul' ||
      opcode === 'cvt' ||
      opcode === 'shl' ||
      opcode === 'shr' ||
      opcode === 'and' ||
      opcode === 'bfe' ||
      (opcode === 'mov' && item.operands[1]?.kind === 'integer');
    for (const name of setBy(item)) if (is64(name)) (isOffset ? found : others).add(name);
  }
  // Sums of numbers are numbers.
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const item of items) {
      const [opcode] = item.words;
      const [d, a, b] = item.operands;
      if ((opcode !== 'add' && opcode !== 'sub') || d?.kind !== 'register' || !is64(d.name)) continue;
      if (!typesOf(item).some((type) => wideTypes.has(type))) continue;
      const isNumber = (operand: PtxOperand | undefined): boolean =>
        operand?.kind === 'integer' || (operand?.kind === 'register' && found.has(operand.name));
      if (isNumber(a) && isNumber(b)) found.add(d.name);
    }
  }
  return found;
}

/**
 * Registers that may contain an address: parameters, converted addresses, loaded words, and 64 bits
 * made of two halves.
 */
export function originRegisters(
  items: readonly PtxInstruction[],
  is64: (name: string) => boolean,
): ReadonlySet<string> {
  const found = new Set<string>();
  for (const item of items) {
    const [opcode] = item.words;
    const [, a] = item.operands;
    const isMade = opcode === 'or' || (opcode === 'mov' && (a?.kind === 'symbol' || a?.kind === 'vector'));
    if (opcode === 'cvta' || opcode === 'ld' || isMade) {
      for (const name of setBy(item)) if (is64(name)) found.add(name);
    }
  }
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const item of items) {
      if (!carries.has(item.words[0])) continue;
      if (!readBy(item).some((name) => found.has(name))) continue;
      for (const name of setBy(item)) if (is64(name)) found.add(name);
    }
  }
  return found;
}

/**
 * Registers that are used as numbers. Accesses, moves of addresses, and tests against a number or
 * of a space do not count.
 */
export function dataRegisters(items: readonly PtxInstruction[], addressOperand: AddressOperand): ReadonlySet<string> {
  const found = new Set<string>();
  for (const item of items) {
    const [opcode] = item.words;
    if (opcode === 'isspacep' || (opcode === 'setp' && item.operands.at(-1)?.kind === 'integer')) continue;
    const sources = new Set(addressSources(item, addressOperand));
    const results = new Set(setBy(item));
    for (const operand of item.operands) {
      if (operand.kind === 'address' || sources.has(operand)) continue;
      if (operand.kind === 'register' && !results.has(operand.name)) found.add(operand.name);
      if (operand.kind === 'vector') {
        for (const one of operand.elements) if (one.kind === 'register' && !results.has(one.name)) found.add(one.name);
      }
    }
  }
  return found;
}

/**
 * Registers that hold a number from memory times another number, and sums with such a product. A
 * kernel may add one to an address to reach the memory of a peer, which is some strides away.
 */
export function strideRegisters(
  items: readonly PtxInstruction[],
  is64: (name: string) => boolean,
): ReadonlySet<string> {
  const loaded = new Set<string>();
  const found = new Set<string>();
  for (let before = -1; before !== loaded.size + found.size;) {
    before = loaded.size + found.size;
    for (const item of items) {
      const [opcode] = item.words;
      const [d, ...from] = item.operands;
      const into = (set: Set<string>): void => {
        for (const name of setBy(item)) if (is64(name)) set.add(name);
      };
      const isIn = (set: ReadonlySet<string>): boolean =>
        from.some((operand) => operand.kind === 'register' && set.has(operand.name));
      if (d === undefined) continue;
      if (opcode === 'ld') into(loaded);
      else if (opcode === 'mul' && !isWide(item)) {
        if (isIn(found) || (isIn(loaded) && from.every(({ kind }) => kind === 'register'))) into(found);
        else if (isIn(loaded)) into(loaded);
      } else if (opcode === 'shl' || opcode === 'mov') {
        if (isIn(loaded)) into(loaded);
        if (isIn(found)) into(found);
      } else if ((opcode === 'add' || opcode === 'sub') && isIn(found)) into(found);
    }
  }
  return found;
}
