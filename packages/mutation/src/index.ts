export {
  changeableSites,
  changeSites,
  probeSites,
  siteChanges,
  type ChangeableSite,
  type ChangedSites,
  type SiteChange,
} from './change-sites.ts';
export type { Mutant, Mutation, MutationOperator, RejectedMutant } from './mutant.ts';
export { mutants, mutate, probe } from './mutants.ts';
