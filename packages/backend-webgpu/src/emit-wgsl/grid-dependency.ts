import { mapBody, type Module } from '@nccl-ts/ir';

/**
 * What a kernel says to the launches before and behind it on its stream. No launch begins here
 * before the one before it is over, so there is nobody to wait for, and nobody to let begin.
 */
export const dependencyCalls: readonly string[] = Object.freeze(['gridDependencySync', 'launchDependents']);

/** The module without these calls. */
export function withoutDependencies(module: Module): Module {
  const body = mapBody(module.body, {
    statement: (s) => (s.kind === 'call' && dependencyCalls.includes(s.name) ? [] : s),
  });
  return body === module.body ? module : Object.freeze({ ...module, body });
}
