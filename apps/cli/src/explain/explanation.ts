/** What `nccl-ts explain` says of a code. */
export interface Explanation {
  /** What is wrong, in a few words. */
  readonly title: string;
  /** What it means, and why it is a rule. */
  readonly meaning: string;
  /** What brings it about: code, or what happens. */
  readonly example?: string;
  /** What to do. */
  readonly fix: string;
  /** The example as it should be. */
  readonly instead?: string;
}
