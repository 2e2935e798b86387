import type { CtaStatus } from '@nccl-ts/codegen';

const statusCode: Readonly<Record<CtaStatus | 'fault', number>> = {
  done: 1,
  parked: 2,
  yielded: 3,
  fault: 4,
  lags: 8,
  stays: 8,
  // A pause is not an event, since a run does not depend on the time.
  paused: 0,
};

/**
 * A 32-bit hash of the events so far: FNV-1a over the CTAs that ran, the ends of their slices, and
 * the steps of the network, in order.
 */
export class EventHash {
  #hash = 0x811c9dc5;

  add(launch: number, cta: number, status: CtaStatus | 'fault'): void {
    this.#word(launch);
    this.#word(cta);
    this.#word(statusCode[status]);
  }

  /** Adds a step of the network: its request and its kind. */
  addStep(request: number, kind: number): void {
    this.#word(request);
    this.#word(kind);
  }

  get value(): number {
    return this.#hash >>> 0;
  }

  #word(word: number): void {
    let hash = this.#hash;
    for (let shift = 0; shift < 32; shift += 8) hash = Math.imul(hash ^ ((word >>> shift) & 0xff), 0x01000193);
    this.#hash = hash;
  }
}
