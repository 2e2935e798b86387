/** What a scheduler may know of a CTA that can run. */
export interface Task {
  /** Counts the launches of the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  /** `blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)`. */
  readonly cta: number;
}

/**
 * Decides everything that the machine leaves open. Equal answers give equal runs, bit by bit: the engine has no other
 * source of chance.
 *
 * The engine runs in rounds. Every CTA that can run when a round begins has one turn in it, so no schedule starves one.
 */
export interface Scheduler {
  /** Called when a kernel begins to run on a machine that runs none. */
  newExecution(): void;
  /** The index of the CTA that runs next; those before `first` have had their turn in this round. */
  nextTask(round: readonly Task[], first: number): number;
  /**
   * Which of `count` things that the network could do now it does: an index, or -1 for none yet. Where it `must` do
   * something nothing else can happen.
   */
  nextDelivery(count: number, must: boolean): number;
  /** Chance for everything else, such as where a cycle counter begins. */
  nextU64(): bigint;
}
