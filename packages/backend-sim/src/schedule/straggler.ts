import { Xoshiro128 } from './xoshiro128.ts';

/** A thread of a CTA that falls behind. */
export interface Straggler {
  /** Its linear index. */
  readonly thread: number;
  /** How many turns of its CTA in a row, in which no other thread can go on, it lets pass before it goes on itself, to its next stop. */
  readonly patience: number;
  /** How many of them are left. */
  left: number;
}

/** The longest lets others, and the network, come some steps further; one that lasted until all of them need it would take most of the time. */
const PATIENCES = [0, 4, 16] as const;

/** Which thread of a CTA falls behind, and how far: always the same for the same seed, launch and CTA. */
export function stragglerOf(seed: number, launch: number, cta: number, threads: number): Straggler {
  const random = Xoshiro128.seeded(seed + 2 ** 32 * ((launch * 4099 + cta) % 2 ** 20));
  const patience = PATIENCES[random.below(PATIENCES.length)] ?? 0;
  return { thread: random.below(threads), patience, left: patience };
}
