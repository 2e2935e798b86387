import type { Module } from '../module.ts';
import { mapBody } from '../visit/map-body.ts';

/**
 * `module` with every intrinsic that `keep` does not name replaced by its own portable body or expansion. Calls without
 * a body stay. Intrinsics inside of kept ones are replaced too.
 */
export function expandIntrinsics(module: Module, keep: (name: string) => boolean): Module {
  const body = mapBody(module.body, {
    expression: (e) => (e.kind === 'intrinsic' && !keep(e.name) ? e.expansion : e),
    statement: (s) => (s.kind === 'call' && s.body !== undefined && !keep(s.name) ? s.body : s),
  });
  return body === module.body ? module : Object.freeze({ ...module, body });
}
