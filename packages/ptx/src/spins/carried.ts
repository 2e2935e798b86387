import type { LocalId } from '@nccl-ts/ir';
import type { LiveLocals } from '../flow/live-locals.ts';
import type { LookLoop } from './look-loop.ts';

/**
 * What a round of `loop` takes over from the round before it, or leaves to what follows the loop
 * without having set it itself.
 */
export function carriedBy(loop: LookLoop, live: LiveLocals): ReadonlySet<LocalId> {
  return new Set([...loop.sets].filter((local) => live.isLiveInto(loop.head, local)));
}
