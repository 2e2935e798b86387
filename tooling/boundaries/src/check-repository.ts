import { checkAnatomy } from './check-anatomy.ts';
import { checkDependencies } from './check-dependencies.ts';
import { checkLayers } from './check-layers.ts';
import { checkSources } from './check-sources.ts';
import { membersOf } from './members.ts';
import type { Files } from './repository.ts';
import type { Violation } from './violation.ts';

/** Every violation of every rule. An empty answer is a pass. */
export function checkRepository(files: Files): readonly Violation[] {
  const members = membersOf(files);
  return [
    ...checkLayers(members),
    ...checkDependencies(members),
    ...checkSources(members),
    ...checkAnatomy(members, files),
  ];
}

/** One line for each violation, as `path:line: rule: what to do`. */
export function renderViolation({ rule, path, line, message }: Violation): string {
  return `${path}${line === undefined ? '' : `:${line}`}: ${rule}: ${message}`;
}
