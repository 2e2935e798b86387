import type { LocalId } from '@nccl-ts/ir';
import type { LiveLocals } from '../flow/live-locals.ts';
import type { LookLoop } from './look-loop.ts';

/**
 * The locals that a round of `loop` takes from the previous round. Also those that it passes to the
 * code after the loop without setting them.
 */
export function carriedBy(loop: LookLoop, live: LiveLocals): ReadonlySet<LocalId> {
  return new Set([...loop.sets].filter((local) => live.isLiveInto(loop.head, local)));
}
