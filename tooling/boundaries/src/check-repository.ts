import { checkAnatomy } from './check-anatomy.ts';
import { checkCircles } from './check-circles.ts';
import { checkDependencies } from './check-dependencies.ts';
import { checkLayers } from './check-layers.ts';
import { checkPackageCircles } from './check-package-circles.ts';
import { checkSources } from './check-sources.ts';
import type { InherentCircle } from './inherent-circles.ts';
import { membersOf } from './members.ts';
import type { Files } from './repository.ts';
import type { Violation } from './violation.ts';

/**
 * Returns every violation of every rule. `inherent` lists the allowed circles of imports. An empty
 * result means that all rules are kept.
 */
export function checkRepository(files: Files, inherent: readonly InherentCircle[] = []): readonly Violation[] {
  const members = membersOf(files);
  return [
    ...checkLayers(members),
    ...checkDependencies(members),
    ...checkSources(members),
    ...checkCircles(members, inherent),
    ...checkPackageCircles(members),
    ...checkAnatomy(members, files),
  ];
}

/** Formats each violation as one line: `path:line: rule: what to do`. */
export function renderViolation({ rule, path, line, message }: Violation): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${rule}: ${message}`;
}
