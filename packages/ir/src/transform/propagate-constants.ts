import type { Expression, LocalId } from '../expression.ts';
import type { Module } from '../module.ts';
import { recomputableLocals } from '../regions/recompute.ts';
import { assignedLocals, localSubstitution } from '../visit/locals.ts';
import { mapBody } from '../visit/map-body.ts';
import { foldModule } from './fold-constants.ts';

/**
 * Replaces locals of `module` that only ever have one constant value by that constant, and folds
 * the results.
 */
export function propagateConstants(module: Module): Module {
  let current = module;
  for (;;) {
    const constants = new Map<LocalId, Expression>();
    for (const [id, value] of recomputableLocals(current.body)) if (value.kind === 'constant') constants.set(id, value);
    if (constants.size === 0) return current;
    const body = mapBody(current.body, {
      expression: localSubstitution((id) => constants.get(id)),
      statement: (s) => (s.kind === 'assign' && constants.has(s.local) ? [] : s),
    });
    const assigned = assignedLocals(body);
    if (body === current.body || [...constants.keys()].some((id) => assigned.has(id))) return current;
    current = foldModule({ ...current, body });
  }
}
