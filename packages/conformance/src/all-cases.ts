import type { Case } from './case.ts';
import * as teams from './cases/teams/teams.ts';

/** Every theme's file: each of its exports is a case. */
const themes = [teams] as const;

/** The name of a case. Derived from the cases themselves: one that does not exist does not compile. */
export type CaseId = typeof teams[keyof typeof teams]['id'];

/** Every case there is, by id. */
export const allCases: readonly Case<CaseId>[] = Object.freeze(
  themes.flatMap((theme): readonly Case<CaseId>[] => Object.values(theme)).sort((a, b) => (a.id < b.id ? -1 : 1)),
);
