import { approximate, exact } from '@nccl-ts/core';
import type { InstructionFidelity, InstructionRow, InstructionTable } from './lowering.ts';
import { arithmetic } from './arithmetic/arithmetic.ts';
import { effects } from './effects/effects.ts';

export { special } from './effects/special.ts';

/** The meaning of each opcode, except for those of `structuralInstructions`. */
export const instructionTable: InstructionTable = Object.freeze({ ...arithmetic, ...effects });

/** Accesses, addresses and jumps, which the translation of a function lowers itself. */
export type StructuralOpcode =
  | 'ld'
  | 'ldu'
  | 'st'
  | 'isspacep'
  | 'cvta'
  | 'mapa'
  | 'getctarank'
  | 'bra'
  | 'brx'
  | 'ret'
  | 'exit';

const accesses: InstructionFidelity = { fidelity: exact('packages/ptx/test/threads/in-entries.test.ts') };
const wideWords = exact('packages/ptx/test/threads/wide-words.test.ts');
const moves: InstructionFidelity = { ...accesses, modifiers: { b128: wideWords } };
const addresses: InstructionFidelity = { fidelity: exact('packages/ptx/test/threads/space-tests.test.ts') };
const otherSpaces = approximate('addresses of constants and parameters as those of other memory');
const otherSpaceTests = { const: otherSpaces, param: otherSpaces, 'param::entry': otherSpaces };
const clusters: InstructionFidelity = { fidelity: exact('packages/ptx/test/threads/clusters.test.ts') };
const jumps: InstructionFidelity = { fidelity: exact('packages/ptx/test/structure/structure-flow.test.ts') };

export const structuralInstructions: Readonly<Record<StructuralOpcode, InstructionFidelity>> = Object.freeze({
  ld: moves,
  ldu: accesses,
  st: { ...moves, modifiers: { ...moves.modifiers, async: clusters.fidelity } },
  isspacep: { ...addresses, modifiers: otherSpaceTests },
  cvta: addresses,
  mapa: clusters,
  getctarank: clusters,
  bra: jumps,
  brx: jumps,
  ret: jumps,
  exit: jumps,
});

const rows: ReadonlyMap<string, InstructionRow> = new Map(Object.entries(instructionTable));
const structural: ReadonlyMap<string, InstructionFidelity> = new Map(Object.entries(structuralInstructions));

/** The row of an opcode of any text. */
export function instructionRow(opcode: string): InstructionRow | undefined {
  return rows.get(opcode);
}

/** How closely the instruction with this opcode is modelled; `undefined` if there is none. */
export function instructionFidelity(opcode: string): InstructionFidelity | undefined {
  return structural.get(opcode) ?? rows.get(opcode);
}

const builtinFunctions: ReadonlySet<string> = new Set(['vprintf', '__assertfail']);

/**
 * True for functions that are not inlined because they represent an instruction of this package.
 */
export function keepsCall(name: string): boolean {
  return builtinFunctions.has(name);
}
