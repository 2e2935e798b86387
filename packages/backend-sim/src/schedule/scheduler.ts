/** What a scheduler may know of a CTA that can run. */
export interface Task {
  /** Counts the launches of the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  /** `blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)`. */
  readonly cta: number;
  /** Turns in a row that it ended only because others should have theirs. */
  readonly yields: number;
}

/** What a scheduler may know of a thing that the network could do. */
export interface Delivery {
  /** Counts all such things of the world, in the order in which they became possible. */
  readonly order: number;
  readonly writes: boolean;
  /** Whose memory it touches, or what can only follow on it does: world ranks. */
  readonly ranks: readonly number[];
  /** The bytes that it reads or writes: places in the heap. */
  readonly low: number;
  readonly high: number;
}

/** When the network is asked. */
export interface Moment {
  /** What it did last, if no CTA has run since. */
  readonly after: Delivery | undefined;
  /**
   * The rank whose CTA is in the middle of its turn, and has just posted something; undefined
   * between turns.
   */
  readonly during: number | undefined;
}

/**
 * Decides everything that the machine leaves open. Equal answers give equal runs, bit by bit: the
 * engine has no other source of chance.
 *
 * The engine runs in rounds. Every CTA that can run when a round begins has one turn in it, so no
 * schedule starves one.
 */
export interface Scheduler {
  /** Called when a kernel begins to run on a machine that runs none. */
  newExecution(): void;
  /**
   * Called between turns: whether to go no further, because the machine was in this `state` before.
   */
  wasHere(state: () => string): boolean;
  /**
   * True if it chooses among all that can run each time, instead of giving each a turn in a round.
   */
  readonly unfair?: boolean;
  /**
   * The index of the CTA that runs next; those before `first` have had their turn in this round.
   */
  nextTask(round: readonly Task[], first: number): number;
  /**
   * Which of the things that the network could do now it does: an index, or -1 for none yet. Where
   * it `must` do something nothing else can happen.
   */
  nextDelivery(ready: readonly Delivery[], must: boolean, moment: Moment): number;
  /**
   * True if a thread of the CTA whose turn it is stops at a place before or behind an ordered
   * access, to which it has come as the one of that `number`, from 1. `isAct`: between what it has
   * read and what it does about that. Absent: none ever does.
   */
  interrupts?(number: number, isAct: boolean): boolean;
  /** Chance for everything else, such as where a cycle counter begins. */
  nextU64(): bigint;
}
