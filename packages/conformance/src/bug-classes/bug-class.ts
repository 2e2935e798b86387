import type { World } from '@nccl-ts/communicator';
import type { GinReach } from '@nccl-ts/devcomm';
import type { FindingKind, MissingKind, Severity } from '@nccl-ts/findings';

/** L: loads, stores and barriers. M: multicast addresses. G: the network. F: the compute fabric. */
export type BugClassId =
  | `L${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26}`
  | `M${1 | 2 | 3 | 4 | 5 | 6}`
  | `G${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22}`
  | `F${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11}`;

/** A class of bugs, with programs that have the bug and programs that do not. Frozen. */
export interface BugClass {
  readonly id: BugClassId;
  readonly title: string;
  /** At least one wrong program and one right program. They differ as little as possible. */
  readonly programs: readonly BugProgram[];
}

/** A class of bugs that programs of these packages cannot have. */
export interface ExcludedBugClass {
  readonly id: BugClassId;
  readonly title: string;
  /** The feature that excludes it. */
  readonly excluded: string;
}

/** A whole program, with its host code, its kernels and the machine that it needs. */
export interface BugProgram {
  /** The class, and the error: `L4/relaxed`. */
  readonly name: string;
  readonly ranks: number;
  readonly lsaSize: number;
  /**
   * The number of CTAs that a rank's device can run at once.
   *
   * @default more than the program has
   */
  readonly residentCtas?: number;
  /** The required connection of the network. Absent if the program needs no network. */
  readonly gin?: GinReach;
  /** True if the machine must have multicast addresses. */
  readonly multimem: boolean;
  /**
   * Rejects with a `Mismatch` if a right program gets wrong results. A wrong program does not check
   * results. It may reject with the `NcclError` of a deadlock or fault.
   */
  readonly run: (world: World) => Promise<void>;
  /** The expected result of a check: no finding, or this one. */
  readonly expects: 'clean' | ExpectedFinding;
}

/** A finding that a check of the program must report, and the findings that it may also report. */
export interface ExpectedFinding extends FindingPattern {
  /** True if only some schedules show it. By default each does. */
  readonly sometimes?: true;
  /** Further findings that the same mistake always causes. */
  readonly also?: readonly FindingPattern[];
  /** Further findings that it causes in some schedules. Any other finding is an error. */
  readonly may?: readonly FindingPattern[];
}

/** The properties of a finding. */
export interface FindingPattern {
  readonly kind: FindingKind;
  /** @default `error` */
  readonly severity?: Severity;
  /**
   * For each label, a part of its line in the kernel, in the order of the labels. The access at
   * which the race was detected comes first, then the earlier one. `host` represents the actions of
   * the host. For a deadlock: the lines at which threads wait, each once. Other kinds may have
   * further labels. An empty part matches any line.
   */
  readonly lines: readonly string[];
  /**
   * Set if the labels may be in the other order, because the schedule decides which access comes
   * first. If the other thread has not reached the weak operation yet, the finding cannot name it.
   * Then this is missing instead of `missing`.
   */
  readonly anyOrder?: true | { readonly missing: readonly MissingKind[] };
  /**
   * The ranks of the labels, in order. Absent if the schedule decides, or if the program is
   * symmetric.
   */
  readonly ranks?: readonly number[];
  /** A synchronization that the finding must name as missing. */
  readonly missing?: readonly MissingKind[];
}
