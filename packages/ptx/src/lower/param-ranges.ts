import type { PtxBody, PtxInstruction, PtxOperand, PtxVariable } from '../syntax/module.ts';
import { bytesOf, registersIn, setBy, typesOf, widthOf } from './instruction-parts.ts';

/** A range of bytes of a parameter, or of a variable that a call passes. */
export interface ParamRange {
  readonly variable: string;
  readonly offset: number;
}

export interface ParamRanges {
  /**
   * The bytes that the address operand of `ld.param` or `st.param` refers to. `undefined` if they
   * are known only at run time.
   */
  of(address: PtxOperand): ParamRange | undefined;
  /**
   * True for a register that holds only such an address. Accesses through it are known, so the
   * register itself is not needed.
   */
  isFollowed(register: string): boolean;
  /**
   * The parameters and variables that must be in memory, because their address is computed or their
   * parts overlap.
   */
  readonly inMemory: ReadonlySet<string>;
}

/**
 * Follows addresses of `.param` variables through registers that are set once, by moves and by
 * additions of numbers.
 */
export function paramRanges(
  body: PtxBody,
  entryParams: readonly PtxVariable[],
  callVariables: readonly PtxVariable[],
): ParamRanges {
  const names = new Set([...entryParams, ...callVariables].map(({ name }) => name));
  const items = body.items.filter((item): item is PtxInstruction => item.kind === 'instruction');
  const ranges = rangesOfRegisters(items, names);
  const of = (address: PtxOperand): ParamRange | undefined => {
    if (address.kind !== 'address' || address.base === undefined) return undefined;
    const { base, offset } = address;
    if (base.kind === 'symbol')
      return names.has(base.name) ? { variable: base.name, offset: Number(offset) } : undefined;
    const range = ranges.get(base.name);
    return range === undefined ? undefined : { variable: range.variable, offset: range.offset + Number(offset) };
  };
  const inMemory = new Set<string>();
  for (const item of items) for (const name of escaping(item, names, ranges)) inMemory.add(name);
  const changing = new Set(callVariables.map(({ name }) => name));
  for (const name of overlapping(items, changing, of)) inMemory.add(name);
  const isFollowed = (register: string): boolean => {
    const range = ranges.get(register);
    return range !== undefined && !inMemory.has(range.variable);
  };
  return { of, isFollowed, inMemory };
}

function isParamAccess({ words }: PtxInstruction): boolean {
  return (words[0] === 'ld' || words[0] === 'st') && words.some((one) => one === 'param' || one.startsWith('param::'));
}

/** `mov d, symbol` and `add d, register, number`. */
function step(
  item: PtxInstruction,
  names: ReadonlySet<string>,
  ranges: ReadonlyMap<string, ParamRange>,
): ParamRange | undefined {
  const [opcode] = item.words;
  const [, a, b] = item.operands;
  if (item.guard !== undefined) return undefined;
  if (opcode === 'mov' && a?.kind === 'symbol' && names.has(a.name))
    return { variable: a.name, offset: Number(a.offset) };
  const from = a?.kind === 'register' ? ranges.get(a.name) : undefined;
  if (from === undefined) return undefined;
  if (opcode === 'mov') return from;
  if ((opcode === 'add' || opcode === 'sub') && b?.kind === 'integer') {
    const by = Number(b.value);
    return { variable: from.variable, offset: opcode === 'add' ? from.offset + by : from.offset - by };
  }
  return undefined;
}

function rangesOfRegisters(
  items: readonly PtxInstruction[],
  names: ReadonlySet<string>,
): ReadonlyMap<string, ParamRange> {
  const times = new Map<string, number>();
  for (const item of items) for (const name of setBy(item)) times.set(name, (times.get(name) ?? 0) + 1);
  const ranges = new Map<string, ParamRange>();
  for (let before = -1; before !== ranges.size;) {
    before = ranges.size;
    for (const item of items) {
      const [d] = item.operands;
      if (d?.kind !== 'register' || times.get(d.name) !== 1) continue;
      const range = step(item, names, ranges);
      if (range !== undefined) ranges.set(d.name, range);
    }
  }
  return ranges;
}

/** The variables whose address escapes. */
function escaping(
  item: PtxInstruction,
  names: ReadonlySet<string>,
  ranges: ReadonlyMap<string, ParamRange>,
): readonly string[] {
  const [opcode] = item.words;
  const [d] = item.operands;
  if (opcode === 'call') return [];
  if (d?.kind === 'register' && ranges.has(d.name)) return [];
  const found: string[] = [];
  for (const operand of item.operands) {
    if (operand === d && operand.kind === 'register') continue;
    if (operand.kind === 'address' && isParamAccess(item)) {
      // A computed address may point anywhere into its variable. That was handled where the address
      // is computed.
      continue;
    }
    if (operand.kind === 'symbol' && names.has(operand.name)) found.push(operand.name);
    for (const name of registersIn(operand)) {
      const range = ranges.get(name);
      if (range !== undefined) found.push(range.variable);
    }
  }
  return found;
}

/** The variables with accesses that overlap only partially. */
function overlapping(
  items: readonly PtxInstruction[],
  names: ReadonlySet<string>,
  of: ParamRanges['of'],
): ReadonlySet<string> {
  const sizes = new Map<string, Map<number, number>>();
  const found = new Set<string>();
  for (const item of items) {
    if (!isParamAccess(item)) continue;
    const address = item.operands.find(({ kind }) => kind === 'address');
    const range = address === undefined ? undefined : of(address);
    const type = typesOf(item)[0];
    if (range === undefined || type === undefined || !names.has(range.variable)) continue;
    const pieces = sizes.get(range.variable) ?? new Map<number, number>();
    sizes.set(range.variable, pieces);
    for (let i = 0; i < widthOf(item); i++) {
      const at = range.offset + i * bytesOf(type);
      const size = pieces.get(at);
      if (size === undefined) pieces.set(at, bytesOf(type));
      else if (size !== bytesOf(type)) found.add(range.variable);
    }
  }
  for (const [name, pieces] of sizes) {
    const sorted = [...pieces].sort(([a], [b]) => a - b);
    let end = Number.NEGATIVE_INFINITY;
    for (const [at, size] of sorted) {
      if (at < end) found.add(name);
      end = Math.max(end, at + size);
    }
  }
  return found;
}
