import type { FindingLabel } from '@nccl-ts/findings';

/** The aligned lines of 128 bytes that one instruction of one warp may have stored. */
export interface SeenLines {
  /** A store to one of those that another block has read, if there is one. */
  readonly store: FindingLabel | undefined;
  /** The points before the instructions that have stored or read them, as far as known. */
  readonly lines: ReadonlySet<string>;
}

export const noLines: SeenLines = Object.freeze({ store: undefined, lines: new Set<string>() });
