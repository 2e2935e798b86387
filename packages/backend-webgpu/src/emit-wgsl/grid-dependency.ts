import { mapBody, type Module } from '@nccl-ts/ir';

/**
 * The kernel's calls about the previous and next launches on its stream. On this backend no launch
 * begins before the previous one has ended, so these calls have no effect.
 */
export const dependencyCalls: readonly string[] = Object.freeze(['gridDependencySync', 'launchDependents']);

/** Returns the module without these calls. */
export function withoutDependencies(module: Module): Module {
  const body = mapBody(module.body, {
    statement: (s) => (s.kind === 'call' && dependencyCalls.includes(s.name) ? [] : s),
  });
  return body === module.body ? module : Object.freeze({ ...module, body });
}
