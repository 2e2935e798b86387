import type { FindingKind } from '@nccl-ts/findings';

/**
 * A finding that is accepted for now. Only the file and the fingerprint count; the rest is for
 * people.
 */
export interface BaselineEntry {
  /** The module that was checked, from the baseline's folder, with `/` between folders. */
  readonly file: string;
  /** The kernel, or host. */
  readonly name: string;
  readonly kind: FindingKind;
  readonly message: string;
  /** The lines of code that take part. */
  readonly lines: readonly string[];
  readonly fingerprint: string;
}
