import type { LoweringTable } from './lowering.ts';
import { arithmetic } from './arithmetic/arithmetic.ts';
import { threads } from './threads/threads.ts';

export { special } from './threads/special.ts';

/** What each opcode does, but for accesses, addresses and jumps. */
export const instructionTable: LoweringTable = Object.freeze({ ...arithmetic, ...threads });

const kept: ReadonlySet<string> = new Set(['vprintf', '__assertfail']);

/** Functions that are not inlined because an instruction of this package stands for them. */
export function keepsCall(name: string): boolean {
  return kept.has(name);
}
