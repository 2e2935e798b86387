export type { Mutant, Mutation, MutationOperator, RejectedMutant } from './mutant.ts';
export { mutants, mutate, probe } from './mutants.ts';
