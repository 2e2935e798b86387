import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import type { CtaIdentity } from '../cta-identity.ts';
import type { DeadlockReport } from '../deadlock-report.ts';
import type { FaultReport } from '../fault-report.ts';
import type { SourcePlace } from '../kernel-text.ts';
import type { WordPlace } from '../word-place.ts';

/**
 * - `race`: two accesses to the same bytes, one of them a write, that nothing orders and that are
 *   not both strong enough;
 * - `uninitialised`: memory is read that nobody has written;
 * - `proxy`: bytes are reached through a multicast address and through their own, or by a bulk
 *   copy, with no proxy fence between;
 * - `out-of-bounds`: an access outside of its window or array, or one that is not aligned;
 * - `misuse`: a rule of the device API that NCCL leaves unchecked;
 * - `fault`: an integer division by zero, a failed assertion;
 * - `deadlock`: nothing can go on;
 * - `leftover`: a signal, an epoch or an operation under way that nobody has waited for at the end;
 * - `incomplete`: a bound of the checker or of the kernel was reached, so what lies behind it was
 *   not looked at.
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
  /** One sentence, without places. */
  readonly message: string;
  /** What took part. Of a race: the access at which it was noticed, then the one before it. */
  readonly labels: readonly FindingLabel[];
  /** The bytes that it is about, of memory faults and races. */
  readonly bytes?: FindingBytes;
  /**
   * What orders the two today, as far as it goes, and what would: the nearest first. Empty where
   * nothing is known.
   */
  readonly missing: readonly MissingIngredient[];
  /** True if every schedule of this input shows it, or it was seen in this one. */
  readonly certainty: 'every schedule' | 'this schedule';
  /** How to see it again. */
  readonly schedule: ScheduleId;
  /**
   * In which sequence of launches it was seen, where a check makes several: `repeat: 3 launches on
   * one stream`.
   */
  readonly sequence?: string;
  /** Who waits for what. Words of 64 bits are bigints here, and failures errors. */
  readonly deadlock?: DeadlockReport;
  readonly fault?: FaultReport;
}

/** One of those that took part in a finding. */
export interface FindingLabel {
  readonly agent: 'thread' | 'network' | 'host';
  /**
   * What it did: `store`, `load`, `atomic add`, `put reads its source`, `put writes`, `host read`.
   */
  readonly does: string;
  readonly rank: number;
  /** Absent for the host. */
  readonly kernel?: string;
  /** Counts the launches of the world, from 0. */
  readonly launch?: number;
  /** What the launch is for, where its program says so: `launch 2 of 3`. */
  readonly purpose?: string;
  readonly blockIdx?: CtaIdentity['blockIdx'];
  /** Linear index in the CTA. Of the network: of the thread that posted. */
  readonly thread?: number;
  /** Absent where the kernel's text is not known, and for the host. */
  readonly place?: SourcePlace;
  /** True if it is a load by which its thread waits. */
  readonly polls?: true;
  /** Absent for plain accesses. */
  readonly access?: { readonly order: MemoryOrder; readonly scope: MemoryScope };
}

/**
 * Bytes of one rank's copy of a window, of a shared array, or of what lies in no window any more.
 */
export interface FindingBytes {
  readonly place: WordPlace;
  readonly bytes: number;
}

/**
 * - `synchronisation`: nothing leads from the one to the other;
 * - `release` / `acquire`: there is a flag or barrier between, whose writer does not release, whose
 *   reader does not acquire;
 * - `scope`: it does, but the scope does not reach the other;
 * - `coop-sync`: the thread that released, or acquired, did not meet the one that accessed;
 * - `strong`: an access of the two is plain, or of another size, where both would have to be
 *   ordered accesses of one size;
 * - `completion`: an operation of the network was not waited for (by signal, counter or flush), or
 *   by one that does not cover it;
 * - `proxy-fence`: `fenceProxy('alias')` is missing on the way; or `fence.proxy.async`, where one
 *   is a bulk copy.
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

/** What is missing, and where it would go. */
export interface MissingIngredient {
  readonly kind: MissingKind;
  /**
   * One sentence: `it releases at device scope, and the reader is on another GPU: it must release
   * at system scope`.
   */
  readonly message: string;
  /** The statement that would have to change, or behind which something is missing. */
  readonly at?: FindingLabel;
}

/** Which run shows a finding: everything that chance decides follows from it. */
export interface ScheduleId {
  readonly strategy: string;
  readonly seed: number;
  /**
   * The choices that were made, for `replay`: as text, shorter than any list of events. Absent
   * where the seed says it all.
   */
  readonly choices?: string;
}
