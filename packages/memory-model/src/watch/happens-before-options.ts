import type { Determinacy } from './determinacy.ts';
import type { LeastReads } from './least-reads.ts';
import type { Seen, ToldOf } from './race.ts';
import type { Shadow } from './shadow.ts';

export interface HappensBeforeOptions {
  /**
   * Told of everything that is wrong: the same pair of places again and again where it happens
   * again.
   */
  readonly onSeen: (seen: Seen, shadow: Shadow) => void;
  /** Asked before `onSeen` is told. Absent: nothing has been told of any pair. */
  readonly told?: ToldOf | undefined;
  /**
   * Keeps account of whether there are other runs. Then reads of waits are ordered behind as little
   * as lets them pass.
   */
  readonly determinacy?: Determinacy | undefined;
  /**
   * Where nobody counts: finds the oldest values by which waits pass. Absent: waits have read what
   * was there when they passed.
   */
  readonly least?: LeastReads | undefined;
  /**
   * True if what GPUs order beyond the memory model counts: fences before a meeting of the CTA
   * release for all that met, volatile loads acquire, and a wait sees a line of 16 bytes whole.
   *
   * @default false
   */
  readonly hardware?: boolean | undefined;
}
