/**
 * A position in `resume` at which a turn may continue, with the lines that start there and the
 * lines that pause there.
 */
export interface ResumePoint {
  readonly begin: readonly string[];
  readonly leave: readonly string[];
}

/**
 * The points inside a construct at which a turn may also pause. The variable `enter` has the number
 * of the point at which it continues, and is 0 afterwards.
 */
export interface InnerPoints {
  /** The existing points have the numbers from 1 to `last`. */
  readonly numbers: { last: number };
  /** Statements that pause the turn, after the point was stored. */
  readonly leave: readonly string[];
}

/** A point, or the start of a construct, which is 0. */
export interface Point {
  readonly number: number;
  readonly leave: readonly string[];
}

export function addPoint({ numbers, leave }: InnerPoints): Point {
  const number = ++numbers.last;
  return { number, leave: [`cta.enter = ${number};`, ...leave] };
}

/** The number of the last point so far; 0 if there is none. */
export function lastPoint(inner: InnerPoints | undefined): number {
  return inner?.numbers.last ?? 0;
}

/** Returns the condition under which code with the points after `from` up to `to` runs. */
export function isHere(from: number, to: number): string {
  return to === from + 1 ? `enter === 0 || enter === ${to}` : `enter === 0 || (enter > ${from} && enter <= ${to})`;
}

/**
 * The lines of a body in parts. If the body has points, parts without one are skipped until the
 * turn continues.
 */
export class BodyParts {
  readonly #code: string[];
  readonly #begin: number;
  readonly #numbers: InnerPoints['numbers'];
  readonly #parts: { readonly lines: readonly string[]; readonly holds: boolean }[] = [];
  #last: number;

  /** Collects the lines that are added to `code` from now on. */
  constructor(code: string[], { numbers }: InnerPoints) {
    this.#code = code;
    this.#begin = code.length;
    this.#numbers = numbers;
    this.#last = numbers.last;
  }

  /** Ends a part. */
  mark(): void {
    const lines = this.#code.splice(this.#begin);
    if (lines.length > 0) this.#parts.push({ lines, holds: this.#numbers.last > this.#last });
    this.#last = this.#numbers.last;
  }

  /** Returns all parts to the code. */
  close(): void {
    this.mark();
    const isPlain = this.#parts.every(({ holds }) => !holds);
    let others: string[] = [];
    const flush = (): void => {
      if (others.length > 0) this.#code.push('if (enter === 0) {', ...others, '}');
      others = [];
    };
    for (const { lines, holds } of this.#parts) {
      if (isPlain) this.#code.push(...lines);
      else if (!holds) others.push(...lines);
      else {
        flush();
        this.#code.push(...lines);
      }
    }
    flush();
  }
}
