import type { Determinacy } from './determinacy.ts';
import type { LeastReads } from './least-reads.ts';
import type { Seen, ToldOf } from './race.ts';
import type { Shadow } from './shadow.ts';

export interface HappensBeforeOptions {
  /**
   * Called with every problem: with the same pair of source positions each time the problem occurs.
   */
  readonly onSeen: (seen: Seen, shadow: Shadow) => void;
  /** Called before `onSeen`. Absent: no pair has been reported. */
  readonly told?: ToldOf | undefined;
  /**
   * Determines if other runs exist. Then reads of waits are ordered after only as much as satisfies
   * them.
   */
  readonly determinacy?: Determinacy | undefined;
  /**
   * Without `determinacy`: finds the oldest values by which waits pass. Absent: waits have read the
   * contents at the time they passed.
   */
  readonly least?: LeastReads | undefined;
  /**
   * True if orders of GPUs beyond the memory model count: fences before a meeting of the CTA
   * release for all that met, volatile loads acquire, and a wait sees a line of 16 bytes whole.
   *
   * @default false
   */
  readonly hardware?: boolean | undefined;
}
