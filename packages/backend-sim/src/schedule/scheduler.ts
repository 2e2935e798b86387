/**
 * True if a wait with a time limit, whose condition does not hold, gives up now. `place` names the
 * wait in the kernels, and `before` is the number of times that this thread has given up there.
 */
export type GivesUp = (place: string, before: number) => boolean;

/** A scheduler's view of a runnable CTA. */
export interface Task {
  /** Counts the launches of the world, from 0. */
  readonly launch: number;
  readonly rank: number;
  /** `blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z)`. */
  readonly cta: number;
  /** Slices in a row that it ended only to yield. */
  readonly yields: number;
}

/** A scheduler's view of a possible step of the network. */
export interface Delivery {
  /** Counts all possible steps of the world, in the order in which they became possible. */
  readonly order: number;
  readonly writes: boolean;
  /** The world ranks whose memory it accesses, or the steps that it enables. */
  readonly ranks: readonly number[];
  /** The bytes that it reads or writes: heap addresses. */
  readonly low: number;
  readonly high: number;
}

/** The moment at which the network may do a step. */
export interface Moment {
  /** Its last step, if no CTA has run since. */
  readonly after: Delivery | undefined;
  /** The rank whose CTA is running, and has just posted something; undefined between slices. */
  readonly during: number | undefined;
}

/**
 * Makes every choice that the machine leaves open. Equal results give equal runs, bit by bit: the
 * engine has no other source of chance.
 *
 * The engine runs in rounds. Every CTA that is runnable when a round begins runs once in it, so no
 * schedule starves one.
 */
export interface Scheduler {
  /** Called when a kernel begins to run on a machine that runs none. */
  newExecution(): void;
  /** Called between slices: true to stop, because the machine was in this `state` before. */
  wasHere(state: () => string): boolean;
  /**
   * True if it chooses among all runnable ones each time, instead of running each once in a round.
   */
  readonly unfair?: boolean;
  /** The index of the CTA that runs next; those before `first` have run in this round. */
  nextTask(round: readonly Task[], first: number): number;
  /**
   * The index of the network's next step, or -1 for none yet. If it `must` do one, nothing else can
   * happen.
   */
  nextDelivery(ready: readonly Delivery[], must: boolean, moment: Moment): number;
  /**
   * True if a thread of the running CTA stops at a point before or after an ordered access, as the
   * thread of that `number`, from 1, to reach it. `isAct`: between a read and the action that
   * depends on it. Absent: none ever stops.
   */
  interrupts?(number: number, isAct: boolean): boolean;
  /** Decides if waits give up early. Absent: none does before its time is over. */
  readonly givesUp?: GivesUp;
  /** Chance for everything else, such as the start of a cycle counter. */
  nextU64(): bigint;
}
