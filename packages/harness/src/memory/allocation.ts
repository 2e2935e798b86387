import type { Expectation } from './expectation.ts';
import type { MemoryType } from './memory-type.ts';
import type { WriteStep } from './write-step.ts';
import type { Pointer } from './pointer.ts';

/** Memory that every rank has, from the view of one rank's setup. Findings use its name. */
export interface Allocation<V = never> {
  readonly kind: 'allocation';
  readonly name: string;
  readonly type: MemoryType<V>;
  /** The number of elements. */
  readonly count: number;
  readonly bytes: number;
  /** Its first byte at the rank of this setup. */
  readonly own: Pointer;
  /**
   * Expects these elements at this rank after the last launch. They are rounded to the type, and
   * NaN equals NaN. For `expect`.
   *
   * @example
   * expect: () => out.equals((i) => 2 * i, { tolerance: 1e-3 })
   */
  equals(expected: Expected, options?: ExpectOptions): Expectation;
  /**
   * A step in which the host of this rank writes `count` elements, from element `from` on (default:
   * 0). The host first waits for the rank's earlier steps. By default it writes all given elements;
   * a function that starts behind element 0 needs a count. For `steps` and `between`.
   *
   * @example
   * between: (launch) => buffer.write((i) => launch + i, rank * half, half)
   * @param values a list, or a function of the index in the allocation
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if elements are past the end, or a count is missing.
   */
  write(values: Fill<V>, from?: number, count?: number): WriteStep;
}

/** Elements, as a function of the index or as a list. */
export type Fill<V> = ((index: number) => V) | ArrayLike<V>;

/** Numbers, as a function of the index or as a list. */
export type Expected = ((index: number) => number | bigint) | ArrayLike<number | bigint>;

export interface ExpectOptions {
  /**
   * The allowed difference of a float. It is relative to the expected value if that is above 1.
   * @default 0
   */
  readonly tolerance?: number;
  /** The first element. @default 0 */
  readonly from?: number;
  /** The number of elements. @default all given elements, up to the end of the allocation */
  readonly count?: number;
}

export function isAllocation(value: unknown): value is Allocation {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'allocation' && 'own' in value
  );
}
