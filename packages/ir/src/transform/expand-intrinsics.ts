import type { Module } from '../module.ts';
import { mapBody } from '../visit/map-body.ts';
import { liftedWait } from './lift-from-wait.ts';

/**
 * `module` with every intrinsic outside `keep` replaced by its portable body or expansion. Calls
 * without a body stay. Intrinsics inside kept ones are replaced too. Side effects of calls that
 * are replaced in waits move before and after the wait.
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
