import { installedWith, type WorkspaceMember } from './members.ts';
import { strongComponents } from './strong-components.ts';
import type { Violation } from './violation.ts';

/**
 * Checks that members of the workspace do not depend on each other in a circle, not even by
 * development dependencies. turbo takes the order of tasks, and what a cached result depends on,
 * from these dependencies.
 */
export function checkPackageCircles(members: readonly WorkspaceMember[]): readonly Violation[] {
  const folders = new Map(members.map(({ manifest, folder }) => [String(manifest.name), folder]));
  const edges = new Map(
    members.map(({ manifest }) => {
      const { name } = manifest;
      const named = Object.keys({ ...installedWith(manifest), ...manifest.devDependencies });
      return [String(name), new Set(named.filter((other) => folders.has(other)))];
    }),
  );
  return strongComponents(edges).map((names) => ({
    rule: 'package-circle',
    path: names.map((name) => `${folders.get(name) ?? name}/package.json`).join(', '),
    message: 'these depend on each other: move the tests that need a package above their own to a suite in tooling',
  }));
}
