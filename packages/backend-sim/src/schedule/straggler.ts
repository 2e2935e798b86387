import { Xoshiro128 } from './xoshiro128.ts';

/** The longest lets others, and the network, come some steps further; one that lasted until all of them need it would take most of the time. */
const PATIENCES = [0, 4, 16] as const;

/** Between which of its ordered stores it stops too: behind every one, every second one, and so on. */
const STRIDES = [1, 2, 3, 5] as const;

/** How often it does that at most: data that tell by themselves that they have come are stores like these. */
const PAUSES = 8;

/** A thread of a CTA that falls behind. */
export class Straggler {
  /** Its linear index. */
  readonly thread: number;
  /** How many turns of its CTA in a row, in which no other thread can go on, it lets pass before it goes on itself, to its next stop. */
  readonly patience: number;
  readonly stride: number;
  /** How many of these turns are left. */
  left: number;
  /** Whether all others have returned, or wait for it and for nothing else. */
  isAwaited = false;
  #stores = 0;

  constructor({ thread, patience, stride }: Pick<Straggler, 'thread' | 'patience' | 'stride'>) {
    this.thread = thread;
    this.patience = patience;
    this.stride = stride;
    this.left = patience;
  }

  /** Whether it stops behind the ordered store that it has just made. */
  pauses(): boolean {
    return this.patience > 0 && this.#stores < PAUSES * this.stride && ++this.#stores % this.stride === 0;
  }
}

/** Which thread of a CTA falls behind, and how far: always the same for the same seed, launch and CTA. */
export function stragglerOf(seed: number, launch: number, cta: number, threads: number): Straggler {
  const random = Xoshiro128.seeded(seed + 2 ** 32 * ((launch * 4099 + cta) % 2 ** 20));
  const patience = PATIENCES[random.below(PATIENCES.length)] ?? 0;
  const thread = random.below(threads);
  return new Straggler({ thread, patience, stride: STRIDES[random.below(STRIDES.length)] ?? 1 });
}
