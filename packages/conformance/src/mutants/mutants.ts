import { hostMutants } from './host-mutants.ts';
import { kernelMutants } from './kernel-mutants.ts';
import type { BackendMutant } from './mutant.ts';

/** All mutants that the suite must detect. */
export const mutants: readonly BackendMutant[] = Object.freeze([...kernelMutants, ...hostMutants]);
