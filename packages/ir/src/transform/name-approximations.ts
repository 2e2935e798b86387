import { activeMaskFidelity, clockFidelity, loadBufferingFidelity } from '../fidelity.ts';
import type { Module } from '../module.ts';
import type { Statement } from '../statement.ts';
import { timesWaitsOnly } from '../regions/times-waits.ts';
import { mapBody } from '../visit/map-body.ts';
import { earlyStores } from '../regions/early-stores.ts';

/**
 * Puts an `approximate` before each statement that is not modelled exactly, for checks:
 *
 * - reads of the clock, if more than the time limits of waits depends on it: the simulator counts
 *   its own steps, and a GPU counts others;
 * - reads of the active lanes: in the simulator lanes reconverge as soon as they can, and on GPUs
 *   they need not;
 * - `earlyStores`.
 */
export function nameApproximations(module: Module): Module {
  const early = earlyStores(module.body);
  const clock = timesWaitsOnly(module) ? undefined : clockFidelity.how;
  const howOf = (s: Statement): string | undefined => {
    if (s.kind === 'clock') return clock;
    if (s.kind === 'collective') return s.op === 'activeMask' ? activeMaskFidelity.how : undefined;
    return early.has(s) ? loadBufferingFidelity.how : undefined;
  };
  const body = mapBody(module.body, {
    statement: (s) => {
      const how = howOf(s);
      return how === undefined ? s : [Object.freeze({ kind: 'approximate', how, span: s.span }), s];
    },
  });
  return body === module.body ? module : Object.freeze({ ...module, body });
}
