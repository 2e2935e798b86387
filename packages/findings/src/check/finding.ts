import type { DeadlockReport } from '../deadlock-report.ts';
import type { FaultReport } from '../fault-report.ts';
import type { FindingLabel } from '../finding-label.ts';
import type { WordMeaning } from '../word-meaning.ts';
import type { FindingKind } from './finding-kinds.ts';

/**
 * The severity of a finding.
 *
 * - `error`: wrong by the contract of the device API and the memory model.
 * - `model`: wrong by the memory model, but known to be harmless on today's hardware. An error
 *   under `strict`.
 * - `note`: worth knowing, but not wrong.
 */
export type Severity = 'error' | 'model' | 'note';

/**
 * A problem that a check found. The value is frozen. `renderFinding` converts it to text, and
 * `reportToJson` to JSON.
 */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  /** One sentence, without source locations. */
  readonly message: string;
  /** The participants. For a race: the access at which it was detected, then the earlier one. */
  readonly labels: readonly FindingLabel[];
  /** The bytes of a memory fault or race. */
  readonly bytes?: FindingBytes;
  /**
   * The missing synchronization, the nearest first, with the current order of the two. Empty if
   * none is known.
   */
  readonly missing: readonly MissingIngredient[];
  /** Says if every schedule of this input shows it, or if it was only seen in this one. */
  readonly certainty: 'every schedule' | 'this schedule';
  /** Identifies a schedule that reproduces it. */
  readonly schedule: ScheduleId;
  /**
   * The sequence of launches that showed it, if a check makes several: `repeat: 3 launches on one
   * stream`.
   */
  readonly sequence?: string;
  /** The waits of a deadlock. 64-bit words are bigints here, and failures are errors. */
  readonly deadlock?: DeadlockReport;
  readonly fault?: FaultReport;
}

/**
 * Bytes of one rank's copy of a window, of a shared array, or of memory that is no longer in a
 * window.
 */
export interface FindingBytes {
  readonly place: WordMeaning;
  readonly bytes: number;
}

/**
 * The missing part of a synchronization.
 *
 * - `synchronisation`: no synchronization leads from one access to the other.
 * - `release` / `acquire`: a flag or barrier connects the accesses, but its writer does not
 *   release, or its reader does not acquire.
 * - `scope`: the writer releases and the reader acquires, but a scope does not include the other
 *   thread.
 * - `coop-sync`: the thread that released, or acquired, did not synchronize with the thread that
 *   accessed.
 * - `strong`: one access is plain, or of another size. Both must be ordered accesses of one size.
 * - `completion`: no thread waited for an operation of the network by a signal, counter or flush
 *   that covers it.
 * - `proxy-fence`: `fenceProxy('alias')` is missing between them. If one is a bulk copy,
 *   `fence.proxy.async` is missing. If one is an operation of a logical endpoint, a fence of the
 *   fabric proxy is missing.
 */
export type MissingKind =
  | 'synchronisation'
  | 'release'
  | 'acquire'
  | 'scope'
  | 'coop-sync'
  | 'strong'
  | 'completion'
  | 'proxy-fence';

/** A missing ingredient, and its location. */
export interface MissingIngredient {
  readonly kind: MissingKind;
  /**
   * One sentence: `it releases at device scope, and the reader is on another GPU: it must release
   * at system scope`.
   */
  readonly message: string;
  /** The order that there is now, if it is not the usual one of its kind. */
  readonly today?: string;
  /** The statement that must change, or after which a statement is missing. */
  readonly at?: FindingLabel;
}

/** Identifies a run that shows a finding. All scheduling choices follow from it. */
export interface ScheduleId {
  readonly strategy: string;
  readonly seed: number;
  /** The recorded choices as text, for `replay`. Absent if the seed is enough. */
  readonly choices?: string;
}
