import type { ExpectStatic } from 'vitest';
import type { CheckOptionsFor } from './check-options.ts';
import type { AnyCheckOptions } from './check-target.ts';
import { toBeRaceFree, type MatcherResult } from './to-be-race-free.ts';
import { toHaveFinding, type FindingPattern } from './to-have-finding.ts';

/** The matchers, as `expect` has them after they are registered. You must await them. */
export interface CheckMatchers<T> {
  /**
   * Checks the kernel, or the host program, on the simulator. It passes if the check finds no
   * error: no race, misuse, deadlock, fault or access outside a window. On failure, the message is
   * the report. With or without `.not`, it fails if the check reached a bound, or its `time`,
   * before it found anything.
   */
  toBeRaceFree(options: CheckOptionsFor<T>): Promise<void>;
  /**
   * Checks like `toBeRaceFree`. It passes if one of the findings, including notes, matches the
   * pattern. It is for kernels that are wrong on purpose.
   */
  toHaveFinding(pattern: FindingPattern, options: CheckOptionsFor<T>): Promise<void>;
}

declare module 'vitest' {
  /**
   * Vitest 5 declares it with a further parameter, which TypeScript reports as different. It merges
   * parameters by their names, so that T is the value with both versions.
   *
   * @ts-ignore */
  interface Matchers<T> extends CheckMatchers<T> {}
}

/**
 * Adds the matchers to `expect`, for all tests that use it. Call it once, in a setup file or at the
 * top of a test.
 */
export function registerMatchers(expect: Pick<ExpectStatic, 'extend'>): void {
  expect.extend({
    async toBeRaceFree(target: unknown, options: AnyCheckOptions) {
      return held(this.task, toBeRaceFree(this.isNot, target, options));
    },
    async toHaveFinding(target: unknown, pattern: FindingPattern, options: AnyCheckOptions) {
      return held(this.task, toHaveFinding(this.isNot, target, pattern, options));
    },
  });
}

/** The part of a test that waits for its assertions. */
interface AwaitingTest {
  readonly promises?: Promise<unknown>[];
}

/**
 * Lets the test end after the check. A test that does not await the matcher would end before it,
 * and its failure would be lost. So it is an error of the run, as vitest reports any promise that
 * nobody awaits.
 */
function held(test: AwaitingTest | undefined, result: Promise<MatcherResult>): Promise<MatcherResult> {
  if (test === undefined) return result;
  const promises = test.promises ?? [];
  promises.push(result.catch(() => undefined));
  Object.assign(test, { promises });
  return result;
}
