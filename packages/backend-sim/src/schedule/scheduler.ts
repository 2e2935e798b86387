/**
 * True if a wait with a time limit, whose condition does not hold, gives up now. `pointKey` names
 * the wait in the kernels, and `before` is the number of times that this thread has given up there.
 */
export type GivesUp = (pointKey: string, before: number) => boolean;

/** A scheduler's view of a runnable CTA. */
export interface RunnableCta {
  /** The launch's number in the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  /** `blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)`. */
  readonly cta: number;
  /** The number of consecutive slices that it ended only to yield. */
  readonly yields: number;
}

/** A scheduler's view of a possible step of the network. */
export interface Delivery {
  /** The step's number in the world, in the order in which steps became possible. */
  readonly order: number;
  readonly writes: boolean;
  /** The world ranks whose memory it accesses, or whose memory the steps access that it enables. */
  readonly ranks: readonly number[];
  /** The bytes that it reads or writes: heap addresses. */
  readonly low: number;
  readonly high: number;
}

/** The moment at which the network may do a step. */
export interface Moment {
  /** The network's last step, if no CTA has run since. */
  readonly after: Delivery | undefined;
  /** The rank whose CTA is running and has just posted something; undefined between slices. */
  readonly during: number | undefined;
}

/**
 * Makes every choice that the machine leaves open. Equal results give equal runs, bit for bit,
 * because the engine has no other source of randomness.
 *
 * The engine runs in rounds. Every CTA that is runnable when a round begins runs once in it, so no
 * schedule starves a CTA.
 */
export interface Scheduler {
  /** Called when a kernel starts on a machine that runs no other. */
  newExecution(): void;
  /**
   * Called between slices. Returns true to stop, because the machine was in this `state` before.
   */
  wasHere(state: () => string): boolean;
  /**
   * True if it chooses among all runnable CTAs each time, instead of running each once in a round.
   */
  readonly unfair?: boolean;
  /** True if one run after another makes every choice, so none may be left out. */
  readonly isExhaustive?: boolean;
  /** Returns the index of the CTA that runs next. Those before `first` have run in this round. */
  nextTask(round: readonly RunnableCta[], first: number): number;
  /**
   * Returns one of `count` alternatives, from 0: the CTA of a launch that starts next if the device
   * has no room for all, or the stream whose end a host program learns first.
   */
  choose(count: number): number;
  /**
   * Returns the index of the network's next step, or -1 for none yet. With `must`, nothing else can
   * happen, so it must choose one.
   */
  nextDelivery(ready: readonly Delivery[], must: boolean, moment: Moment): number;
  /**
   * True if a thread of the running CTA stops at a point before or after an ordered access. It is
   * the `number`-th thread, from 1, to reach the point. `isAct` is true between a read and the
   * action that depends on it. If absent, no thread ever stops.
   */
  interrupts?(number: number, isAct: boolean): boolean;
  /** Decides if waits give up early. If absent, none does before its time limit. */
  readonly givesUp?: GivesUp;
  /** Returns a random number for everything else, such as the start of a cycle counter. */
  nextU64(): bigint;
}
