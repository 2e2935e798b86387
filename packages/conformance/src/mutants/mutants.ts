import { hostMutants } from './host-mutants.ts';
import { kernelMutants } from './kernel-mutants.ts';
import type { Mutant } from './mutant.ts';

/** All mutants that the suite must detect. */
export const mutants: readonly Mutant[] = Object.freeze([...kernelMutants, ...hostMutants]);
