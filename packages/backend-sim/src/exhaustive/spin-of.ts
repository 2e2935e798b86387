import { spinWait, type LoopStatement, type WaitStatement } from '@nccl-ts/ir';

const known = new WeakMap<LoopStatement, WaitStatement | undefined>();

/** What a loop waits for before each round, if it spins: the same statement each time, so that what is known of it is worked out once. */
export function spinOf(loop: LoopStatement): WaitStatement | undefined {
  if (!known.has(loop)) known.set(loop, spinWait(loop));
  return known.get(loop);
}
