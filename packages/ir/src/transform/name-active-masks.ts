import { activeMaskFidelity } from '../fidelity.ts';
import type { Module } from '../module.ts';
import { mapBody } from '../visit/map-body.ts';

/**
 * Puts an `approximate` before each read of the active lanes: in the simulator lanes reconverge as
 * soon as they can, and on GPUs they need not.
 */
export function nameActiveMasks(module: Module): Module {
  const body = mapBody(module.body, {
    statement: (s) =>
      s.kind === 'collective' && s.op === 'activeMask'
        ? [Object.freeze({ kind: 'approximate', how: activeMaskFidelity.how, span: s.span }), s]
        : s,
  });
  return body === module.body ? module : Object.freeze({ ...module, body });
}
