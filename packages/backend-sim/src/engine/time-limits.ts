import { type TimedLook, ctaIndex } from '@nccl-ts/codegen';
import type { GivesUp } from '../schedule/scheduler.ts';

/** Decides for the threads of a launch if the time limits of their waits have expired. */
export class TimeLimits {
  readonly #kernel: string;
  readonly #givesUp: GivesUp;
  /** By place and thread. */
  readonly #times = new Map<string, number>();
  /** The threads that have given up and not continued yet. */
  readonly #over = new Set<string>();

  constructor(kernel: string, givesUp: GivesUp) {
    this.#kernel = kernel;
    this.#givesUp = givesUp;
  }

  runsOut({ site, cta, thread, isLast }: TimedLook): boolean {
    const key = `${site} ${ctaIndex(cta)} ${thread}`;
    const before = this.#times.get(key) ?? 0;
    const isOver = this.#over.has(key) || this.#givesUp(`${this.#kernel} ${site}`, before);
    if (isOver && isLast) this.#times.set(key, before + 1);
    if (isOver && !isLast) this.#over.add(key);
    else this.#over.delete(key);
    return isOver;
  }
}
