/** The explanation of a code, as `nccl-ts explain` prints it. */
export interface Explanation {
  /** The problem, in a few words. */
  readonly title: string;
  /** The meaning, and the reason for the rule. */
  readonly meaning: string;
  /** An example that causes it: code, or an event. */
  readonly example?: string;
  /** The fix. */
  readonly fix: string;
  /** The fixed example. */
  readonly instead?: string;
}
