import type { PtxBody, PtxInstruction, PtxItem, PtxOperand, PtxStateSpace } from '../syntax/module.ts';
import {
  addressRegisters,
  addressSources,
  dataRegisters,
  offsetRegisters,
  originRegisters,
  strideRegisters,
  type AddressOperand,
} from './address-registers.ts';
import { setBy } from './instruction-parts.ts';
import type { RegisterKind } from './register-kinds.ts';

/**
 * The contents of a 64-bit register. `pointer`: an address in global memory, kept as a pointer.
 * `narrow`: an address in a single state space, kept as its 32 bits. It `isGeneric` if the
 * register's own 64 bits contain the space. `word`: a number.
 */
export type AddressRole =
  | { readonly kind: 'pointer' }
  | { readonly kind: 'narrow'; readonly space: 'shared' | 'local'; readonly isGeneric: boolean }
  | { readonly kind: 'word' };

export interface AddressRoles {
  of(register: string): AddressRole;
  readonly addressOperand: AddressOperand;
  /** True if an address plus the operand may be in other memory. See strideRegisters. */
  isStride(operand: PtxOperand): boolean;
  /**
   * True if any register may contain a generic address of shared or local memory, so a word may be
   * one.
   */
  readonly mayBeTagged: boolean;
}

export const word: AddressRole = Object.freeze({ kind: 'word' });
const pointer: AddressRole = Object.freeze({ kind: 'pointer' });

/** The space of a variable. `.const` variables are in global memory. */
export type SpaceOfSymbol = (name: string) => PtxStateSpace | undefined;

/** The origin of the value of an address register. */
type AddressOrigin =
  | { readonly kind: 'copy'; readonly from: readonly string[] }
  | { readonly kind: 'role'; readonly role: AddressRole };

/**
 * Finds the registers that hold addresses: those that accesses use, and all that flow into these.
 * Any number may be kept as a pointer, because a pointer has the number from which it was made. But
 * if a register is mainly used as a number, that costs more.
 */
export function addressRoles(
  body: PtxBody,
  kinds: ReadonlyMap<string, RegisterKind>,
  spaceOfSymbol: SpaceOfSymbol,
  /**
   * True if an instruction loads the address of a range of several allocations. One pointer cannot
   * have the bounds of all of them.
   */
  loadsRange: (instruction: PtxInstruction) => boolean = () => false,
): AddressRoles {
  const items = body.items.filter(isInstruction);
  const is64 = (name: string): boolean => kinds.get(name) === 'u64';
  const offsets = offsetRegisters(items, is64);
  const origins = originRegisters(items, is64);
  const addressOperand = (a: PtxOperand, b: PtxOperand): 'first' | 'second' | undefined => {
    if (a.kind === 'symbol') return 'first';
    if (b.kind === 'symbol') return 'second';
    const first = a.kind === 'register' && is64(a.name) ? a.name : undefined;
    const second = b.kind === 'register' && is64(b.name) ? b.name : undefined;
    if (second === undefined) return first === undefined ? undefined : 'first';
    if (first === undefined) return 'second';
    if (offsets.has(second) !== offsets.has(first)) return offsets.has(second) ? 'first' : 'second';
    if (origins.has(first) !== origins.has(second)) return origins.has(first) ? 'first' : 'second';
    return undefined;
  };
  const definitions = new Map<string, PtxInstruction[]>();
  for (const item of items) {
    for (const name of setBy(item)) {
      if (!is64(name)) continue;
      const list = definitions.get(name);
      if (list === undefined) definitions.set(name, [item]);
      else list.push(item);
    }
  }
  const addresses = addressRegisters(items, definitions, is64, addressOperand);
  const mayBeTagged = items.some(makesTagged);
  const isData = dataRegisters(items, addressOperand);
  const roles = new Map<string, AddressRole>();
  // Values that flow around a loop are computed again until nothing changes.
  for (let changed = true; changed;) {
    changed = false;
    for (const name of addresses) {
      const before = roles.get(name);
      let after = before;
      for (const item of definitions.get(name) ?? []) {
        const origin = loadsRange(item) ? number : originOf(item, name, addressOperand, spaceOfSymbol);
        const found = origin.kind === 'role' ? [origin.role] : origin.from.map((one) => roles.get(one));
        for (const one of found) if (one !== undefined) after = after === undefined ? one : join(after, one);
      }
      if (after === undefined || (before !== undefined && sameRole(before, after))) continue;
      roles.set(name, after);
      changed = true;
    }
  }
  const tagged = mayBeTagged ? taggedRegisters(items, addressOperand) : new Set<string>();
  const memoryMayBeTagged = mayEscape(items, tagged, addressOperand, (item) => !passesOn(item));
  const argumentsMayBeTagged = mayEscape(items, tagged, addressOperand, passesOn);
  for (const name of addresses) {
    for (const item of definitions.get(name) ?? []) {
      if (item.words[0] !== 'ld') continue;
      const from = loadedFrom(item, spaceOfSymbol);
      const mayBe = from === 'argument' ? argumentsMayBeTagged : memoryMayBeTagged;
      // A pointer cannot keep a number with a tag.
      if (from !== 'entry' && (mayBe || isData.has(name))) roles.set(name, word);
    }
  }
  const strides = strideRegisters(items, is64);
  return {
    of: (name) => roles.get(name) ?? word,
    addressOperand,
    isStride: (operand) => operand.kind === 'register' && strides.has(operand.name),
    mayBeTagged,
  };
}

/** True for a `mapa` whose addresses are those of shared memory, and not generic. */
function isOfSpace({ words }: PtxInstruction): boolean {
  return words[1]?.startsWith('shared') === true;
}

/** True if the result is a generic address of shared or local memory. */
function makesTagged(item: PtxInstruction): boolean {
  const [opcode, first] = item.words;
  if (opcode === 'mapa') return !isOfSpace(item) && item.words.some((one) => one.endsWith('64'));
  const space = first?.split('::')[0];
  return opcode === 'cvta' && (space === 'shared' || space === 'local');
}

/** Registers that hold generic addresses of shared or local memory. */
function taggedRegisters(items: readonly PtxInstruction[], addressOperand: AddressOperand): ReadonlySet<string> {
  const found = new Set<string>();
  for (const item of items) {
    if (makesTagged(item)) for (const name of setBy(item)) found.add(name);
  }
  for (let before = -1; found.size > 0 && before !== found.size;) {
    before = found.size;
    for (const item of items) {
      if (item.words[0] === 'cvta') continue;
      const sources = addressSources(item, addressOperand);
      if (!sources.some((one) => one.kind === 'register' && found.has(one.name))) continue;
      for (const name of setBy(item)) found.add(name);
    }
  }
  return found;
}

/** True if an instruction that `counts` uses one of `registers` as a number. */
function mayEscape(
  items: readonly PtxInstruction[],
  registers: ReadonlySet<string>,
  addressOperand: AddressOperand,
  counts: (item: PtxInstruction) => boolean,
): boolean {
  if (registers.size === 0) return false;
  const data = dataRegisters(items.filter(counts), addressOperand);
  return [...data].some((name) => registers.has(name));
}

/** True if an instruction passes values to a called function, or returns them from it. */
function passesOn({ words: [opcode, space] }: PtxInstruction): boolean {
  return opcode === 'st' && space?.split('::')[0] === 'param';
}

/** Where a load reads: parameters of the entry, values of calls, or memory. */
function loadedFrom(
  { words: [, space], operands }: PtxInstruction,
  spaceOfSymbol: SpaceOfSymbol,
): 'entry' | 'argument' | 'memory' {
  if (space?.split('::')[0] !== 'param') return 'memory';
  const base = operands.find((one) => one.kind === 'address')?.base;
  return base?.kind === 'symbol' && spaceOfSymbol(base.name) !== 'param' ? 'argument' : 'entry';
}

const number: AddressOrigin = Object.freeze({ kind: 'role', role: word });

function join(a: AddressRole, b: AddressRole): AddressRole {
  return sameRole(a, b) ? a : word;
}

function sameRole(a: AddressRole, b: AddressRole): boolean {
  if (a.kind === 'narrow' && b.kind === 'narrow') return a.space === b.space && a.isGeneric === b.isGeneric;
  return a.kind === b.kind;
}

function isInstruction(item: PtxItem): item is PtxInstruction {
  return item.kind === 'instruction';
}

function originOf(
  instruction: PtxInstruction,
  register: string,
  addressOperand: AddressOperand,
  spaceOfSymbol: SpaceOfSymbol,
): AddressOrigin {
  const { words, operands } = instruction;
  const [opcode, first, second] = words;
  if (opcode === 'cvta') {
    const isTo = first === 'to';
    const space = (isTo ? second : first)?.split('::')[0];
    return { kind: 'role', role: roleOfSpace(space, !isTo) };
  }
  if (opcode === 'mapa') return { kind: 'role', role: roleOfSpace('shared', !isOfSpace(instruction)) };
  if (opcode === 'ld' || operands[0]?.kind !== 'register') return { kind: 'role', role: pointer };
  if (operands[0].name !== register) return { kind: 'role', role: word };
  const sources = addressSources(instruction, addressOperand);
  if (sources.length === 0) return { kind: 'role', role: word };
  const from: string[] = [];
  for (const source of sources) {
    if (source.kind === 'register') from.push(source.name);
    else if (source.kind === 'symbol') return { kind: 'role', role: roleOfSpace(spaceOfSymbol(source.name), false) };
    else return { kind: 'role', role: pointer };
  }
  return { kind: 'copy', from };
}

function roleOfSpace(space: string | undefined, isGeneric: boolean): AddressRole {
  if (space === 'shared' || space === 'local') return { kind: 'narrow', space, isGeneric };
  return space === 'param' ? { kind: 'narrow', space: 'local', isGeneric } : pointer;
}
