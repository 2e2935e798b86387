import type { Expectation } from './expectation.ts';
import type { HostStep } from './host-step.ts';
import type { MemoryType } from './memory-type.ts';
import type { Pointer } from './pointer.ts';

/** Memory that every rank has, under a name that findings use: as the setup of one rank sees it. */
export interface Allocation<V = never> {
  readonly kind: 'allocation';
  readonly name: string;
  readonly type: MemoryType<V>;
  /** Elements. */
  readonly count: number;
  readonly bytes: number;
  /** Its first byte at the rank that is set up. */
  readonly own: Pointer;
  /**
   * Expects these elements at this rank after the last launch: rounded to the type, NaN equal to
   * NaN. For `expect`.
   *
   * @example
   * expect: () => out.equals((i) => 2 * i, { tolerance: 1e-3 })
   */
  equals(expected: Expected, options?: ExpectOptions): Expectation;
  /** Writes elements at this rank, from element `from` (0) on. For `between`. */
  write(values: Fill<V>, from?: number): HostStep;
}

/** Elements by their index, or in order. */
export type Fill<V> = ((index: number) => V) | ArrayLike<V>;

/** Numbers by their index, or in order. */
export type Expected = ((index: number) => number | bigint) | ArrayLike<number | bigint>;

export interface ExpectOptions {
  /**
   * The allowed deviation of a float, relative to the expected value if that is above 1. Default:
   * 0.
   */
  readonly tolerance?: number;
  /** First element. Default: 0. */
  readonly from?: number;
  /** Elements. Default: all given elements, to the end of the allocation. */
  readonly count?: number;
}

export function isAllocation(value: unknown): value is Allocation {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'allocation' && 'own' in value
  );
}
