import type { Strategy } from './strategy.ts';
import { strategyOf } from './strategies.ts';
import { Xoshiro128 } from './xoshiro128.ts';

export interface EarlyBegins {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly replay: string;
  /**
   * True if one run is to represent all. A kernel that relies on an early begin hangs in such a
   * run, as it may on a GPU.
   */
  readonly isCounted: boolean;
  /** True if launches must not overlap: with tracing, and with several host threads. */
  readonly forbidsOverlap: boolean;
}

/**
 * Selects which of the launches that may begin early do so, deterministically by seed. `random`
 * lets some of them, and the other strategies let all.
 */
export function earlyBeginsOf(how: EarlyBegins): (launch: number) => boolean {
  if (how.isCounted || how.forbidsOverlap) return () => false;
  if (strategyOf(how.strategy, how.replay) !== 'random') return () => true;
  return (launch) => Xoshiro128.seeded(how.seed + 2 ** 32 * (launch % 2 ** 20)).below(2) === 0;
}
