import type { MemoryScope } from '@nccl-ts/core';

import type { Operation, Place } from './small-program.ts';

/** Numbers of a seeded generator (mulberry32). */
export type Random = Readonly<{
  /** An integer from 0 to `count` - 1. */
  below: (count: number) => number;
  /** True with this probability. */
  chance: (probability: number) => boolean;
  /** One of `items`, which must not be empty. */
  pick: <T>(items: readonly [T, ...T[]]) => T;
}>;

export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (items) => items[below(items.length)] ?? items[0],
  };
}

/** A program that is being written. */
export type Draft = Readonly<{
  random: Random;
  /** The probability that a choice orders accesses that need an order. */
  care: number;
  places: readonly Place[];
  append: (agent: number, ...operations: readonly Operation[]) => void;
  /** A register that the program does not have yet. */
  register: () => string;
  /** A location that the program does not use yet, or any if all are used. */
  flag: () => string;
  /** Some different agents, in random order. */
  agents: (count: number) => readonly number[];
}>;

export const scopes: readonly [MemoryScope, ...MemoryScope[]] = ['thread', 'block', 'device', 'system'];

/**
 * A scope for operations between `a` and `b`. It includes both if this draft is careful here, and
 * is otherwise any scope.
 */
export function scopeFor({ random, care, places }: Draft, a: number, b: number): MemoryScope {
  const { [a]: first, [b]: second } = places;
  if (first === undefined || second === undefined || !random.chance(care)) return random.pick(scopes);
  if (first.rank !== second.rank) return 'system';
  return first.cta === second.cta ? random.pick(['block', 'device', 'system']) : random.pick(['device', 'system']);
}
