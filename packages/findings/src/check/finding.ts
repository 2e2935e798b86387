import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { CtaIdentity } from '@nccl-ts/transport';
import type { DeadlockReport } from '../deadlock-report.ts';
import type { FaultReport } from '../fault-report.ts';
import type { SourcePlace } from '../source-place.ts';
import type { WordPlace } from '../word-place.ts';

/**
 * - - `race`: two accesses to the same bytes, one of them a write, that are not ordered and that
 *   are not both strong enough;
 * - `uninitialised`: memory is read that was never written;
 * - `proxy`: bytes are reached through a multicast address and through their own, or by a bulk
 *   copy, with no proxy fence between;
 * - `out-of-bounds`: an access outside its window or array, or an unaligned one;
 * - `misuse`: a rule of the device API that NCCL leaves unchecked;
 * - `fault`: an integer division by zero, a failed assertion;
 * - `deadlock`: no thread can continue;
 * - `leftover`: a signal, an epoch or a pending operation at the end that was never waited for,
 *   or a wait that passes by a value that an earlier launch of the kernel has consumed;
 * - `incomplete`: a bound of the checker or of the kernel was reached, and the check did not go
 *   beyond it.
 */
export type FindingKind =
  | 'race'
  | 'uninitialised'
  | 'proxy'
  | 'out-of-bounds'
  | 'misuse'
  | 'fault'
  | 'deadlock'
  | 'leftover'
  | 'incomplete';

/**
 * - `error`: wrong by the contract of the device API and the memory model;
 * - `model`: wrong by the memory model, and known to do no harm on today's hardware; an error under
 *   `strict`;
 * - `note`: worth knowing, not wrong by itself.
 */
export type Severity = 'error' | 'model' | 'note';

/**
 * Something that was wrong. A frozen value; `renderFinding` makes text of it, `reportToJson` JSON.
 */
export interface Finding {
  readonly kind: FindingKind;
  readonly severity: Severity;
  /** One sentence, without source locations. */
  readonly message: string;
  /** The participants. For a race: the access at which it was detected, then the earlier one. */
  readonly labels: readonly FindingLabel[];
  /** The bytes that it is about, of memory faults and races. */
  readonly bytes?: FindingBytes;
  /**
   * The missing synchronization, the nearest first, with the present order of the two. Empty if
   * none is known.
   */
  readonly missing: readonly MissingIngredient[];
  /** True if every schedule of this input shows it, or it was seen in this one. */
  readonly certainty: 'every schedule' | 'this schedule';
  /** Identifies the schedule that shows it again. */
  readonly schedule: ScheduleId;
  /**
   * In which sequence of launches it was seen, where a check makes several: `repeat: 3 launches on
   * one stream`.
   */
  readonly sequence?: string;
  /** The waits. Words of 64 bits are bigints here, and failures are errors. */
  readonly deadlock?: DeadlockReport;
  readonly fault?: FaultReport;
}

/** One of those that took part in a finding. */
export interface FindingLabel {
  readonly agent: 'thread' | 'network' | 'host';
  /**
   * The action: `store`, `load`, `atomic add`, `put reads its source`, `put writes`, `host read`.
   */
  readonly does: string;
  readonly rank: number;
  /** Absent for the host. */
  readonly kernel?: string;
  /** Counts the launches of the world, from 0. */
  readonly launch?: number;
  /** The purpose of the launch, if its program states one: `launch 2 of 3`. */
  readonly purpose?: string;
  readonly blockIdx?: CtaIdentity['blockIdx'];
  /** Linear index in the CTA. For the network: the thread that posted. */
  readonly thread?: number;
  /**
   * Absent where the kernel's text is not known. For the host: its call, if the program's text was
   * provided with its URL; see `provideAuthorText`.
   */
  readonly place?: SourcePlace;
  /** True if it is a load by which its thread waits. */
  readonly polls?: true;
  /** Absent for plain accesses. */
  readonly access?: { readonly order: MemoryOrder; readonly scope: MemoryScope };
}

/**
 * Bytes of one rank's copy of a window, of a shared array, or of memory that is no longer in a
 * window.
 */
export interface FindingBytes {
  readonly place: WordPlace;
  readonly bytes: number;
}

/**
 * - - `synchronisation`: no synchronization leads from one access to the other;
 * - `release` / `acquire`: there is a flag or barrier between, but its writer does not release, or
 *   its reader does not acquire;
 * - `scope`: they do, but the scope does not reach the other thread;
 * - `coop-sync`: the thread that released, or acquired, did not synchronize with the thread that
 *   accessed;
 * - `strong`: one access is plain, or of another size, but both must be ordered accesses of one
 *   size;
 * - `completion`: an operation of the network was not waited for (by signal, counter or flush), or
 *   only by one that does not cover it;
 * - `proxy-fence`: `fenceProxy('alias')` is missing in between; or `fence.proxy.async`, if one is a
 *   bulk copy; or a fence of the fabric proxy, if one is an operation of a logical endpoint.
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
  /** The statement that must change, or after which something is missing. */
  readonly at?: FindingLabel;
}

/** Identifies a run that shows a finding: all scheduling choices follow from it. */
export interface ScheduleId {
  readonly strategy: string;
  readonly seed: number;
  /**
   * The recorded choices, for `replay`: as text, shorter than any list of events. Absent if the
   * seed is sufficient.
   */
  readonly choices?: string;
}
