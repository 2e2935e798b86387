import type { World } from '@nccl-ts/communicator';
import type { GinReach } from '@nccl-ts/devcomm';
import type { FindingKind, MissingKind, Severity } from '@nccl-ts/findings';

/** L: loads, stores and barriers; M: multicast addresses; G: the network; F: the compute fabric. */
export type BugClassId =
  | `L${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22 | 23 | 24 | 25 | 26}`
  | `M${1 | 2 | 3 | 4 | 5 | 6}`
  | `G${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12 | 13 | 14 | 15 | 16 | 17 | 18 | 19 | 20 | 21 | 22}`
  | `F${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10}`;

/** A way to go wrong, and programs that do and that do not. Frozen. */
export interface BugClass {
  readonly id: BugClassId;
  readonly title: string;
  /** At least one wrong program and one right program, which differ as little as possible. */
  readonly programs: readonly BugProgram[];
}

/** A way to go wrong that programs of these packages do not have. */
export interface ExcludedBugClass {
  readonly id: BugClassId;
  readonly title: string;
  /** The feature that excludes it. */
  readonly excluded: string;
}

/** A whole program, host and kernels, on a machine that it asks for. */
export interface BugProgram {
  /** The class, and the error: `L4/relaxed`. */
  readonly name: string;
  readonly ranks: number;
  readonly lsaSize: number;
  /** CTAs that a rank's device holds at once. Left out: more than the program has. */
  readonly residentCtas?: number;
  /** The required reach of the network. Left out: no network is needed. */
  readonly gin?: GinReach;
  /** True if the machine must have multicast addresses. */
  readonly multimem: boolean;
  /**
   * Rejects with a `Mismatch` if a right program gets other results than it must. A wrong program
   * does not look at results; it may reject with the `NcclError` of a deadlock or fault.
   */
  readonly run: (world: World) => Promise<void>;
  /** The expected result of a check: nothing at all, or this finding. */
  readonly expects: 'clean' | ExpectedFinding;
}

/** A finding that a check of the program must report, and what it may report beside. */
export interface ExpectedFinding extends FindingPattern {
  /** Some schedules show it and others do not. Left out: each does. */
  readonly sometimes?: true;
  /** Findings that the same mistake always causes too. */
  readonly also?: readonly FindingPattern[];
  /** Findings that it causes in some schedules. Any other finding is an error. */
  readonly may?: readonly FindingPattern[];
}

/** The properties of a finding. */
export interface FindingPattern {
  readonly kind: FindingKind;
  /** Left out: `error`. */
  readonly severity?: Severity;
  /**
   * For each label, a piece of its line in the kernel, in the order of the labels: the access that
   * is noticed, then the earlier one. `host` represents the actions of the host. For a deadlock:
   * the lines at which threads wait, each once. Other kinds may have further labels. An empty piece
   * is in any line.
   */
  readonly lines: readonly string[];
  /**
   * The labels may be in the other order, if the schedule decides which access is noticed. If the
   * other thread has not yet reached the weak operation, it cannot be named: then this is missing,
   * in place of `missing`.
   */
  readonly anyOrder?: true | { readonly missing: readonly MissingKind[] };
  /**
   * The ranks of the labels, in their order. Left out where the schedule decides or the program is
   * symmetric.
   */
  readonly ranks?: readonly number[];
  /** The synchronization that the finding names as missing, among others or alone. */
  readonly missing?: readonly MissingKind[];
}
