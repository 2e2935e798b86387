import type { Body } from '../statement.ts';
import { walkBody } from './walk.ts';

/** True if a statement of `body`, or of a body in it, reads the clock. */
export function readsClock(body: Body): boolean {
  let reads = false;
  walkBody(body, {
    statement: (s) => {
      reads ||= s.kind === 'clock';
    },
  });
  return reads;
}
