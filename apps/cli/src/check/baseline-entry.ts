import type { FindingKind } from '@nccl-ts/findings';

/**
 * A finding that is accepted for now. Only the file and the fingerprint count. The rest is for
 * people.
 */
export interface BaselineEntry {
  /** The checked module, relative to the baseline's folder, with `/` between folders. */
  readonly file: string;
  /** The kernel, or host. */
  readonly name: string;
  readonly kind: FindingKind;
  readonly message: string;
  /** The lines of code that are involved. */
  readonly lines: readonly string[];
  readonly fingerprint: string;
}
