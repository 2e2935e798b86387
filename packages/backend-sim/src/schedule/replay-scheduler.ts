import { parseChoices } from './choices.ts';
import type { Delivery, Moment, Scheduler, RunnableCta } from './scheduler.ts';
import { Xoshiro128 } from './xoshiro128.ts';

/** A scheduler that records its choices. */
export interface RecordingScheduler extends Scheduler {
  /**
   * The choice of each call: the chosen index. For optional deliveries it is one more, with 0 for
   * none.
   */
  readonly choices: readonly number[];
}

/**
 * An interruption is one choice: how many points later it occurs, counted from 1. It is recorded at
 * the first of these points. 0 means that no further point is interrupted.
 */

export function recordingScheduler(inner: Scheduler): RecordingScheduler {
  const choices: number[] = [];
  let slot: number | undefined;
  let passed = 0;
  const records = (number: number, isAct: boolean): boolean => {
    if (slot === undefined) {
      slot = choices.push(0) - 1;
      passed = 0;
    }
    passed++;
    if (inner.interrupts?.(number, isAct) !== true) return false;
    choices[slot] = passed;
    slot = undefined;
    return true;
  };
  const gives = (pointKey: string, before: number): boolean => {
    const choice = inner.givesUp?.(pointKey, before) === true;
    choices.push(choice ? 1 : 0);
    return choice;
  };
  return {
    choices,
    ...(inner.interrupts === undefined ? {} : { interrupts: records }),
    ...(inner.givesUp === undefined ? {} : { givesUp: gives }),
    ...(inner.unfair === undefined ? {} : { unfair: inner.unfair }),
    newExecution: () => inner.newExecution(),
    wasHere: (state: () => string) => inner.wasHere(state),
    nextTask: (round: readonly RunnableCta[], first: number) => {
      const choice = inner.nextTask(round, first);
      if (round.length - first > 1) choices.push(choice - first);
      return choice;
    },
    choose: (count: number) => {
      const choice = inner.choose(count);
      if (count > 1) choices.push(choice);
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
 * Repeats the choices of a run. Past their end, and if there are fewer alternatives, it takes the
 * first, and the network performs no optional step. `hasty` is true if the run was one of
 * `hastyScheduler`.
 */
export function replayScheduler(
  text: string,
  seed: number,
  { unfair, hasty }: { readonly unfair: boolean; readonly hasty: boolean },
): Scheduler {
  const choices = parseChoices(text);
  const random = Xoshiro128.seeded(seed);
  let next = 0;
  let coming: number | undefined;
  const choose = (of: number): number => {
    const choice = choices[next++] ?? 0;
    return choice < of ? choice : 0;
  };
  return {
    unfair,
    newExecution: () => {},
    wasHere: () => false,
    nextTask: (round: readonly RunnableCta[], first: number) => {
      const left = round.length - first;
      return left > 1 ? first + choose(left) : first;
    },
    choose: (count: number) => (count > 1 ? choose(count) : 0),
    nextDelivery: (ready: readonly Delivery[], must: boolean) =>
      must ? choose(ready.length) : choose(ready.length + 1) - 1,
    interrupts: () => {
      coming ??= choices[next++] ?? 0;
      if (coming === 0 || --coming > 0) return false;
      coming = undefined;
      return true;
    },
    ...(hasty ? { givesUp: () => choose(2) === 1 } : {}),
    nextU64: () => random.nextU64(),
  };
}
