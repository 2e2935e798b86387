import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import { at } from '../at.ts';
import { bitsOf, Deferred, known, type Later } from './deferred.ts';

/** How strongly an access or a fence is ordered. */
export interface Access {
  readonly order: MemoryOrder;
  readonly scope: MemoryScope;
  /** True if it is a volatile access of PTX. */
  readonly volatile?: true;
}

/**
 * Where an agent runs: `rank` is its GPU, `cta` is unique in the world. The host and the network
 * share no GPU with anybody.
 */
export interface AgentPlace {
  readonly rank: number;
  readonly cta: number;
  readonly thread: number;
  readonly on?: 'device' | 'host' | 'network';
  /**
   * The memory synchronisation domain of its kernel: device scope reaches only kernels of the same
   * one. Absent: nobody asks.
   */
  readonly domain?: number | undefined;
}

/** Says which place of a program something came from: races are told apart by it. */
export type Site = number | string;

/**
 * A program of its own, started anew for every execution: it must do the same whenever it gets the
 * same answers.
 */
export interface AgentProgram {
  readonly name: string;
  readonly place: AgentPlace;
  readonly start: () => AgentSteps;
}

/** What an agent asks for, one after the other; its result is part of the outcome. */
export type AgentSteps = Generator<Request, Later<unknown>, unknown>;
type Asking<T> = Generator<Request, T, unknown>;

/** A range of bytes. */
export interface ByteRange {
  readonly at: number;
  readonly bytes: number;
}

/** One read of an attempt to pass a wait. */
export type AttemptRead = (range: ByteRange, access: Access | undefined, site: Site) => bigint;

/** What one agent gives at a meeting, by its index there; what it gets is what all gave. */
export interface Meeting {
  /** Agents with equal groups meet. A group can meet any number of times, one after the other. */
  readonly group: string;
  /** How many they are; a function where agents that end are not waited for. */
  readonly size: number | (() => number);
  readonly index: number;
  readonly give: unknown;
  /** True if what each did before is ordered before what the others do after. Default: true. */
  readonly orders?: boolean;
}

export type Request =
  | { readonly kind: 'read'; readonly range: ByteRange; readonly access: Access | undefined; readonly site: Site }
  | {
      readonly kind: 'write';
      readonly range: ByteRange;
      readonly access: Access | undefined;
      readonly site: Site;
      readonly value: Later<bigint>;
    }
  | {
      readonly kind: 'modify';
      readonly range: ByteRange;
      readonly access: Access;
      readonly site: Site;
      readonly change: Later<(old: bigint) => bigint | undefined>;
      readonly always: boolean;
    }
  | { readonly kind: 'fence'; readonly access: Access; readonly site: Site }
  | { readonly kind: 'use'; readonly values: readonly Later<unknown>[] }
  | {
      readonly kind: 'wait';
      readonly attempt: (read: AttemptRead) => { readonly value: unknown } | undefined;
      /** The same, without the one that is attempted last being the one that the agent gets. */
      readonly probe: (read: AttemptRead) => { readonly value: unknown } | undefined;
      /** True if it makes no difference to the agent which of two values it gets. */
      readonly same: (a: unknown, b: unknown) => boolean;
      readonly site: Site;
    }
  | { readonly kind: 'meet'; readonly meeting: Meeting }
  | { readonly kind: 'spawn'; readonly programs: readonly AgentProgram[]; readonly released: boolean }
  | { readonly kind: 'join'; readonly agents: Joined; readonly site: Site; readonly orders: boolean };

/**
 * Agents to wait for; a function where they may not all have been started yet: then it says
 * `undefined`.
 */
export type Joined = readonly number[] | (() => readonly number[] | undefined);

/**
 * Reads a number of `range.bytes` bytes. The answer may come later: an agent goes on without it
 * until it uses it.
 */
export function* read(range: ByteRange, access: Access | undefined, site: Site): Asking<Later<bigint>> {
  return expectBits(yield { kind: 'read', range, access, site });
}

/** Writes the low `range.bytes` bytes of `value`. */
export function* write(range: ByteRange, access: Access | undefined, site: Site, value: Later<bigint>): Asking<void> {
  yield { kind: 'write', range, access, site, value };
}

/**
 * What a read-modify-write makes of what it reads; `undefined`: it writes nothing, and is a read
 * alone.
 */
export type Change = (old: bigint) => bigint | undefined;

/**
 * Reads and writes in one step, and answers what was there before, maybe later. `always` says that
 * `change` writes whatever it reads; what may write nothing counts as a write only when its read is
 * bound.
 */
export function* modify(
  range: ByteRange,
  access: Access,
  site: Site,
  change: Later<Change>,
  always = true,
): Asking<Later<bigint>> {
  return expectBits(yield { kind: 'modify', range, access, site, change, always });
}

export function* fence(access: Access, site: Site): Asking<void> {
  yield { kind: 'fence', access, site };
}

/**
 * The value, as soon as its reads are bound. All that the agent does afterwards depends on them.
 */
export function* use<T>(value: Later<T>): Asking<T> {
  if (value instanceof Deferred) yield { kind: 'use', values: [value] };
  return known(value);
}

/**
 * Blocks until `attempt` can be passed, and then answers what it gave. Of all attempts only the
 * last one happens: what others would have read leaves no trace. `attempt` may be called any number
 * of times, must have no effects, and says `undefined` where it is not to be passed. `same` says of
 * two values that the agent does the same with either; default: they are one.
 */
export function* wait<T>(
  attempt: (read: AttemptRead) => { readonly value: T } | undefined,
  site: Site,
  same: (a: unknown, b: unknown) => boolean = Object.is,
): Asking<T> {
  let passed: { readonly value: T } | undefined;
  const remembering = (reader: AttemptRead): { readonly value: T } | undefined => {
    passed = attempt(reader);
    return passed;
  };
  yield { kind: 'wait', attempt: remembering, probe: attempt, same, site };
  if (passed === undefined) throw new RangeError('A wait ended that was not passed.');
  return passed.value;
}

/**
 * Blocks until all of the group have come; what each did before is ordered before what each does
 * after.
 */
export function* meet(meeting: Meeting): Asking<readonly unknown[]> {
  const given: unknown = yield { kind: 'meet', meeting };
  return Array.isArray(given) ? given.map((each: unknown) => each) : [];
}

/**
 * Starts agents: all that this one did before is ordered before what they do or, with `released`,
 * only what it has released: what comes before its last releasing fence of device scope or wider.
 * Answers their numbers.
 */
export function* spawn(programs: readonly AgentProgram[], released = false): Asking<readonly number[]> {
  const numbers = yield { kind: 'spawn', programs, released };
  return Array.isArray(numbers) ? numbers.map(Number) : [];
}

/**
 * Blocks until these agents have ended; all that they did is ordered before what this one does next
 * or, without `orders`, nothing is: this one only goes on because they have ended.
 */
export function* join(agents: Joined, site: Site, orders = true): Asking<void> {
  yield { kind: 'join', agents, site, orders };
}

function expectBits(answer: unknown): Later<bigint> {
  if (typeof answer === 'bigint') return answer;
  if (answer instanceof Deferred && answer.reads.length > 0) {
    const { reads } = answer;
    return new Deferred(reads, () => bitsOf(at(reads, 0)));
  }
  throw new RangeError('A read was answered by something that is no number.');
}
