import type { CheckOptions } from '@nccl-ts/checker';

/** The use of an engine's result. */
export type Role =
  /** The behaviour of `check` without options. */
  | 'default'
  /** Checks some schedules. */
  | 'sampled'
  /** Makes one run, which may represent all. */
  | 'counted'
  /** The behaviour of `check` with `exhaustive`: the counted run and the graph engine. */
  | 'exhaustive'
  /** The graph engine alone, with the outcomes of all executions. */
  | 'graph';

export interface Engine {
  readonly name: string;
  readonly role: Role;
  /** The options of `check`. `explore` calls the graph engine. */
  readonly options: Omit<CheckOptions, 'ranks' | 'lsaSize'>;
}

/** The limits of an engine. */
export interface Effort {
  /** The number of schedules of each sampled strategy. */
  readonly schedules: number;
  /** The number of executions of the graph engine. */
  readonly bound: number;
  /** The most seconds for all executions of the graph engine. @default no limit */
  readonly seconds?: number;
}

/** The number of loop rounds that a CTA may run. It is far above the needs of any program here. */
const FUEL = 1 << 16;

/** All runs of a program. Each line is an engine. */
export function enginesOf({ schedules, bound, seconds }: Effort): readonly Engine[] {
  const fuel = FUEL;
  const time = seconds === undefined ? {} : { time: seconds };
  return [
    { name: 'default', role: 'default', options: { fuel } },
    { name: 'random', role: 'sampled', options: { strategy: 'random', schedules, fuel } },
    { name: 'pct', role: 'sampled', options: { strategy: 'pct', schedules, fuel } },
    { name: 'late', role: 'sampled', options: { strategy: 'late', schedules, fuel } },
    { name: 'counted', role: 'counted', options: { strategy: 'exhaustive', bound: 0, fuel } },
    { name: 'exhaustive', role: 'exhaustive', options: { strategy: 'exhaustive', bound, fuel, ...time } },
    { name: 'graph', role: 'graph', options: { bound, fuel, ...time } },
  ];
}
