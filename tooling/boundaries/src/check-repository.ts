import { checkAnatomy } from './check-anatomy.ts';
import { checkCircles, type Inherent } from './check-circles.ts';
import { checkDependencies } from './check-dependencies.ts';
import { checkLayers } from './check-layers.ts';
import { checkPackageCircles } from './check-package-circles.ts';
import { checkSources } from './check-sources.ts';
import { checkTypeNames } from './check-type-names.ts';
import { membersOf } from './members.ts';
import type { Files } from './repository.ts';
import type { Violation } from './violation.ts';

/** The exceptions from the rules, each with a reason. */
export interface Allowed extends Inherent {
  readonly typeNames: Readonly<Record<string, string>>;
}

/**
 * Returns every violation of every rule except in the cases of `allowed`. An empty result means
 * that all rules are kept.
 */
export function checkRepository(
  files: Files,
  allowed: Allowed = { circles: [], arrows: [], typeNames: {} },
): readonly Violation[] {
  const members = membersOf(files);
  return [
    ...checkLayers(members),
    ...checkDependencies(members),
    ...checkSources(members),
    ...checkCircles(members, allowed),
    ...checkPackageCircles(members),
    ...checkTypeNames(members, files, allowed.typeNames),
    ...checkAnatomy(members, files),
  ];
}

/** Formats each violation as one line: `path:line: rule: what to do`. */
export function renderViolation({ rule, path, line, message }: Violation): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${rule}: ${message}`;
}
