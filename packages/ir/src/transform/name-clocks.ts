import { clockFidelity } from '../fidelity.ts';
import type { Module } from '../module.ts';
import { timesWaitsOnly } from '../regions/times-waits.ts';
import { mapBody } from '../visit/map-body.ts';

/**
 * Puts an `approximate` before each read of the clock if more than the time limits of waits depends
 * on it: the simulator counts its own steps, and a GPU counts others.
 */
export function nameClocks(module: Module): Module {
  if (timesWaitsOnly(module)) return module;
  const body = mapBody(module.body, {
    statement: (s) =>
      s.kind === 'clock' ? [Object.freeze({ kind: 'approximate', how: clockFidelity.how, span: s.span }), s] : s,
  });
  return body === module.body ? module : Object.freeze({ ...module, body });
}
