import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';

import type {
  Agent,
  Barrier,
  Fence,
  FenceOrder,
  If,
  Load,
  LoadOrder,
  Operation,
  Ordering,
  Rmw,
  Store,
  StoreOrder,
  Strong,
  Value,
  Wait,
} from './small-program.ts';

/** A number is a value, and a name is a register. */
export type ValueLike = number | string | Value;

/** Has this order among the threads of `scope`. */
export function strong<O extends MemoryOrder>(order: O, scope: MemoryScope = 'system'): Strong<O> {
  return { order, scope };
}

export function load(register: string, location: string, ordering: Ordering<LoadOrder> = 'weak'): Load {
  return { kind: 'load', location, register, ordering };
}

export function store(location: string, value: ValueLike, ordering: Ordering<StoreOrder> = 'weak'): Store {
  return { kind: 'store', location, value: valueOf(value), ordering };
}

export function exch(register: string, location: string, value: ValueLike, ordering: Strong): Rmw {
  return { kind: 'rmw', update: 'exch', location, register, value: valueOf(value), ordering };
}

export function add(register: string, location: string, value: ValueLike, ordering: Strong): Rmw {
  return { kind: 'rmw', update: 'add', location, register, value: valueOf(value), ordering };
}

export function cas(register: string, location: string, compare: number, value: ValueLike, ordering: Strong): Rmw {
  return { kind: 'rmw', update: 'cas', location, register, compare, value: valueOf(value), ordering };
}

export function fence(order: FenceOrder, scope: MemoryScope = 'system'): Fence {
  return { kind: 'fence', ordering: { order, scope } };
}

export function barrier(): Barrier {
  return { kind: 'barrier' };
}

export function when(register: string, equals: number, ...body: readonly Operation[]): If {
  return { kind: 'if', register, equals, body };
}

export function wait(location: string, equals: number, ordering: Ordering<LoadOrder> = 'weak'): Wait {
  return { kind: 'wait', location, equals, ordering };
}

/** A thread at `place`, which is written as `rank.cta.thread`. Omitted numbers are 0. */
export function agent(place: string, ...operations: readonly Operation[]): Agent {
  const [rank = 0, cta = 0, thread = 0] = place.split('.').map(Number);
  return { place: { rank, cta, thread }, operations };
}

function valueOf(value: ValueLike): Value {
  if (typeof value === 'number') return { constant: value };
  return typeof value === 'string' ? { register: value, constant: 0 } : value;
}
