import { hostMutants } from './host-mutants.ts';
import { kernelMutants } from './kernel-mutants.ts';
import type { Mutant } from './mutant.ts';

/** Every way in which the suite breaks a backend to see itself fail. */
export const mutants: readonly Mutant[] = Object.freeze([...kernelMutants, ...hostMutants]);
