import type { MemoryOrder } from '@nccl-ts/core';

import { add, cas, exch, fence, load, store, strong, wait, when } from './operations.ts';
import { scopeFor, scopes } from './random-draft.ts';
import type { Draft } from './random-draft.ts';
import type { FenceOrder, LoadOrder, Operation, StoreOrder } from './small-program.ts';

type Choices<T> = readonly [T, ...T[]];

export const data: Choices<string> = ['x', 'y'];
export const orders: Choices<MemoryOrder> = ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'];
export const loadOrders: Choices<LoadOrder> = ['relaxed', 'acquire', 'seq_cst'];
export const storeOrders: Choices<StoreOrder> = ['relaxed', 'release', 'seq_cst'];
export const fenceOrders: Choices<FenceOrder> = ['acquire', 'release', 'acq_rel', 'seq_cst'];
const releaseFences: Choices<FenceOrder> = ['release', 'acq_rel', 'seq_cst'];
const acquireFences: Choices<FenceOrder> = ['acquire', 'acq_rel', 'seq_cst'];
const releasing: Choices<'release' | 'seq_cst'> = ['release', 'release', 'seq_cst'];
const acquiring: Choices<'acquire' | 'seq_cst'> = ['acquire', 'acquire', 'seq_cst'];

/** Reads or writes data by a plain access. */
export function touch(draft: Draft, location: string): Operation {
  const { random } = draft;
  if (random.chance(0.4)) return load(draft.register(), location);
  return store(location, 1 + random.below(2));
}

/**
 * Makes earlier accesses visible to a thread that reads `flag`. Adds 1 to it if `adding`, and
 * otherwise stores 1.
 */
export function publish(draft: Draft, flag: string, from: number, to: number, adding = false): readonly Operation[] {
  const { random, care } = draft;
  const scope = scopeFor(draft, from, to);
  const careful = random.chance(care);
  const set = (order: 'relaxed' | 'release' | 'seq_cst'): Operation => {
    if (adding) return add(draft.register(), flag, 1, strong(order, scope));
    if (random.chance(0.3)) return random.pick([add, exch])(draft.register(), flag, 1, strong(order, scope));
    return store(flag, 1, strong(order, scope));
  };
  if (careful && random.chance(0.3)) return [fence(random.pick(releaseFences), scope), set('relaxed')];
  if (careful) return [set(random.pick(releasing))];
  if (random.chance(0.3)) return [fence(random.pick(fenceOrders), random.pick(scopes)), set('relaxed')];
  return [random.chance(0.3) && !adding ? store(flag, 1) : set(random.pick(storeOrders))];
}

/** Runs `body` in a thread that has read `value` from `flag`. */
export function observe(
  draft: Draft,
  flag: string,
  value: number,
  from: number,
  to: number,
  body: readonly Operation[],
): readonly Operation[] {
  const { random, care } = draft;
  const scope = scopeFor(draft, to, from);
  const careful = random.chance(care);
  const fenced = careful && random.chance(0.3);
  const order = fenced ? 'relaxed' : random.pick(careful ? acquiring : loadOrders);
  const inside = fenced ? [fence(random.pick(acquireFences), scope), ...body] : body;
  const ordering = !careful && random.chance(0.2) ? 'weak' : strong(order, scope);
  if (random.chance(0.45)) return [wait(flag, value, ordering), ...inside];
  const register = draft.register();
  const guarded = when(register, value, ...inside);
  if (ordering === 'weak' || random.chance(0.7)) return [load(register, flag, ordering), guarded];
  const update = random.pick([
    () => add(register, flag, 0, ordering),
    () => exch(register, flag, 0, ordering),
    () => cas(register, flag, value, value + 1, ordering),
  ]);
  return [update(), guarded];
}
