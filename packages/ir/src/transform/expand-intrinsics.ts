import type { Module } from '../module.ts';
import { mapBody } from '../visit/map-body.ts';
import { liftedWait } from './lift-from-wait.ts';

/**
 * Replaces every intrinsic that is not in `keep` by its portable body or expansion. Calls without a
 * body stay. Intrinsics inside kept ones are replaced too. If a call inside a wait is replaced, its
 * side effects move before or after the wait.
 */
export function expandIntrinsics(module: Module, keep: (name: string) => boolean): Module {
  const body = mapBody(module.body, {
    expression: (e) => (e.kind === 'intrinsic' && !keep(e.name) ? e.expansion : e),
    statement: (s) => {
      if (s.kind === 'call' && s.body !== undefined && !keep(s.name)) return s.body;
      return s.kind === 'wait' ? liftedWait(s) : s;
    },
  });
  return body === module.body ? module : Object.freeze({ ...module, body });
}
