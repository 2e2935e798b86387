import type { Strategy } from './strategy.ts';
import { strategyOf } from './strategies.ts';
import { Xoshiro128 } from './xoshiro128.ts';

export interface EarlyBegins {
  readonly strategy: Strategy;
  readonly seed: number;
  readonly replay: string;
  /**
   * True if one run is to represent all. A kernel that relies on an early begin is stuck in such a
   * run, as it may be on a GPU.
   */
  readonly isCounted: boolean;
  /** True if launches do not overlap: with tracing, and with several host threads. */
  readonly isApart: boolean;
}

/**
 * The launches that begin before the previous one has ended, of those that may: deterministic by
 * seed. `random` lets some of them, the other strategies let all.
 */
export function earlyBeginsOf(how: EarlyBegins): (launch: number) => boolean {
  if (how.isCounted || how.isApart) return () => false;
  if (strategyOf(how.strategy, how.replay) !== 'random') return () => true;
  return (launch) => Xoshiro128.seeded(how.seed + 2 ** 32 * (launch % 2 ** 20)).below(2) === 0;
}
