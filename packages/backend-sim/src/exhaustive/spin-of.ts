import { spinRound, type LoopStatement, type SpinRound } from '@nccl-ts/ir';

const known = new WeakMap<LoopStatement, SpinRound | undefined>();

/** How a loop spins, if it does: the same answer each time, so that what is known of it is worked out once. */
export function spinOf(loop: LoopStatement): SpinRound | undefined {
  if (!known.has(loop)) known.set(loop, spinRound(loop));
  return known.get(loop);
}
