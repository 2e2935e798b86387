import type { Clock } from './clock.ts';
import type { Determinacy } from './determinacy.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { LeastReads } from './least-reads.ts';
import type { Seen, SeenAccess, ReportLevelOf } from './race.ts';
import type { Shadow } from './shadow.ts';
import type { RememberedWords } from './word-history.ts';

export interface HappensBeforeOptions {
  /**
   * Called for every problem, and again for each occurrence of the same pair of source locations.
   */
  readonly onSeen: (seen: Seen, shadow: Shadow) => void;
  /** Called before `onSeen`. If absent, no pair counts as reported. */
  readonly reportLevel?: ReportLevelOf | undefined;
  /**
   * Decides if other runs exist. With it, the reads of a wait are ordered only after the writes
   * that the wait needs.
   */
  readonly determinacy?: Determinacy | undefined;
  /**
   * Finds the oldest values that satisfy waits, without `determinacy`. If absent, waits have read
   * the contents at the time they ended.
   */
  readonly least?: LeastReads | undefined;
  /**
   * Returns the events that are over before a thread's write at an address takes effect, although
   * the thread is not ordered after them: puts before a fence of NVSHMEM.
   */
  readonly delivered?: ((group: GroupClocks, thread: number, address: number) => Clock | undefined) | undefined;
  /**
   * True if orders count that GPUs guarantee beyond the memory model. A fence before a barrier of
   * the CTA releases for all its threads. Volatile loads acquire. A wait sees a line of 16 bytes as
   * a whole.
   *
   * @default false
   */
  readonly hardware?: boolean | undefined;
  /**
   * Called in the order of GPUs for a load that counts as over, because a later flag of its thread
   * was seen, before a write of its bytes.
   */
  readonly onOver?: ((load: SeenAccess) => void) | undefined;
  /** The words whose accesses `accesses.history` keeps. */
  readonly words?: RememberedWords | undefined;
}
