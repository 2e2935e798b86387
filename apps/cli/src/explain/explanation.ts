/** The explanation of a code by `nccl-ts explain`. */
export interface Explanation {
  /** The problem, in a few words. */
  readonly title: string;
  /** The meaning, and the reason for the rule. */
  readonly meaning: string;
  /** A cause: code, or an event. */
  readonly example?: string;
  /** The fix. */
  readonly fix: string;
  /** The example as it should be. */
  readonly instead?: string;
}
