import type { Span } from '@nccl-ts/ir';
import type { KernelText } from '@nccl-ts/transport';
import { locationName, quotedLocation, type QuotedLocation } from '../quoted-location.ts';

/**
 * Something that a check executed and that is modelled in a way which machines need not follow. A
 * verdict that rests on it names it.
 */
export interface Approximation {
  /** The thing, and the one that stands for it: `%smid as the block's index`. */
  readonly how: string;
  /** The first source location that was executed. Absent if it is not in a kernel. */
  readonly place?: QuotedLocation;
}

/** Collects approximations: each once, with its first source location. */
export class Approximations {
  readonly #byHow = new Map<string, Approximation>();

  add(approximation: Approximation): void {
    if (!this.#byHow.has(approximation.how)) this.#byHow.set(approximation.how, approximation);
  }

  /** Adds what a kernel does at a span. A kernel may do it often, so only the first is located. */
  addAt(how: string, kernel: KernelText, span: Span | undefined): void {
    if (this.#byHow.has(how)) return;
    const location = span === undefined ? undefined : quotedLocation(kernel, span);
    this.add(location === undefined ? { how } : { how, place: location });
  }

  /** Sorted by what they are, so that equal checks give equal reports. */
  get list(): readonly Approximation[] {
    return [...this.#byHow.values()].toSorted((a, b) => (a.how < b.how ? -1 : 1));
  }
}

/** `%smid as the block's index (a.cu:12:3)`. */
export function approximationText({ how, place: location }: Approximation): string {
  return location === undefined ? how : `${how} (${locationName(location)})`;
}
