import { wordTable } from '@nccl-ts/core';
import type { LoweringTable } from './lowering.ts';
import { arithmetic } from './arithmetic/arithmetic.ts';
import { effects } from './effects/effects.ts';

export { special } from './effects/special.ts';

/** The meaning of each opcode, except for accesses, addresses and jumps. */
export const instructionTable: LoweringTable = wordTable({ ...arithmetic, ...effects });

const builtinFunctions: ReadonlySet<string> = new Set(['vprintf', '__assertfail']);

/**
 * True for functions that are not inlined because they represent an instruction of this package.
 */
export function keepsCall(name: string): boolean {
  return builtinFunctions.has(name);
}
