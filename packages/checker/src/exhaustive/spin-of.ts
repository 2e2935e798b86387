import { spinRound, type LoopStatement, type SpinRound } from '@nccl-ts/ir';

const known = new WeakMap<LoopStatement, SpinRound | undefined>();

/** Returns the analysis of a loop that spins. It is cached for each loop. */
export function spinOf(loop: LoopStatement): SpinRound | undefined {
  if (!known.has(loop)) known.set(loop, spinRound(loop));
  return known.get(loop);
}
