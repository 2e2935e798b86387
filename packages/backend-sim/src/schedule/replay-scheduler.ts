import { parseChoices } from './choices.ts';
import type { Delivery, Moment, Scheduler, Task } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/** A scheduler that writes down what it chose. */
export interface RecordingScheduler extends Scheduler {
  /** By call: which of those offered, counted from the first, or, of deliveries that need not be, one more, with 0 for none. */
  readonly choices: readonly number[];
}

export function recordingScheduler(inner: Scheduler): RecordingScheduler {
  const choices: number[] = [];
  return {
    choices,
    ...(inner.unfair === undefined ? {} : { unfair: inner.unfair }),
    newExecution: () => inner.newExecution(),
    wasHere: (state: () => string) => inner.wasHere(state),
    nextTask: (round: readonly Task[], first: number) => {
      const choice = inner.nextTask(round, first);
      if (round.length - first > 1) choices.push(choice - first);
      return choice;
    },
    nextDelivery: (ready: readonly Delivery[], must: boolean, moment: Moment) => {
      const choice = inner.nextDelivery(ready, must, moment);
      choices.push(must ? choice : choice + 1);
      return choice;
    },
    nextU64: () => inner.nextU64(),
  };
}

/**
 * Makes the choices of a run again. Past their end, and where there are fewer to choose from, it takes the first; and the network
 * does nothing that it need not.
 */
export function replayScheduler(text: string, seed: number, unfair: boolean): Scheduler {
  const choices = parseChoices(text);
  const random = Xoshiro128.seeded(seed);
  let next = 0;
  const choose = (of: number): number => {
    const choice = choices[next++] ?? 0;
    return choice < of ? choice : 0;
  };
  return {
    unfair,
    newExecution: () => {},
    wasHere: () => false,
    nextTask: (round: readonly Task[], first: number) => {
      const left = round.length - first;
      return left > 1 ? first + choose(left) : first;
    },
    nextDelivery: (ready: readonly Delivery[], must: boolean) =>
      must ? choose(ready.length) : choose(ready.length + 1) - 1,
    nextU64: () => random.nextU64(),
  };
}
