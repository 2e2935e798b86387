import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import { at } from '@nccl-ts/core';
import type { FabricPair } from '../fabric-pair.ts';
import { bitsOf, Deferred, known, type Later } from './deferred.ts';

/** The order and scope of an access or a fence. */
export interface Access {
  readonly order: MemoryOrder;
  readonly scope: MemoryScope;
  /** True if it is a volatile access of PTX. */
  readonly volatile?: true;
}

/**
 * The location of an agent: `rank` is its GPU, `cta` is unique in the world. The host and the
 * network share no GPU with any agent.
 */
export interface AgentPlace {
  readonly rank: number;
  readonly cta: number;
  readonly thread: number;
  readonly on?: 'device' | 'host' | 'network';
  /**
   * The memory synchronisation domain of its kernel: device scope reaches only kernels of the same
   * one. Absent: domains make no difference.
   */
  readonly domain?: number | undefined;
  /**
   * The proxy through which it accesses memory, if that is not the generic one: `async` is that of
   * bulk copies, and of operations of the fabric in shared memory; `fabric` is that of the fabric
   * in global memory. Two proxies need a proxy fence between accesses to the same bytes, and so do
   * two agents that both use the fabric's.
   */
  readonly proxy?: 'async' | 'fabric';
}

/**
 * The accesses that a proxy fence orders: those through the generic and the async proxy, half of it
 * for two proxies of which one is the fabric's, or those through any proxies.
 */
export type ProxyFence = 'async' | 'all' | { readonly pair: FabricPair; readonly half: 'release' | 'acquire' };

/** The actions of an agent that come before what it spawns. @see spawn */
export type SpawnedAfter = 'everything' | 'releases' | 'nothing';

/** Identifies the source position of an event: races are distinguished by it. */
export type Site = number | string;

/**
 * A program of an agent, started anew for every execution: it must behave the same whenever it gets
 * the same results.
 */
export interface AgentProgram {
  readonly name: string;
  readonly place: AgentPlace;
  readonly start: () => AgentSteps;
}

/** The requests of an agent, in order; its result is part of the outcome. */
export type AgentSteps = Generator<Request, Later<unknown>, unknown>;
type Asking<T> = Generator<Request, T, unknown>;

/** A range of bytes. */
export interface ByteRange {
  readonly at: number;
  readonly bytes: number;
}

/** One read of an attempt to pass a wait. */
export type AttemptRead = (range: ByteRange, access: Access | undefined, site: Site) => bigint;

/**
 * The value that one agent contributes to a barrier, by its index there; it gets the values of all.
 */
export interface Meeting {
  /** Agents with equal groups meet. A group can meet any number of times in sequence. */
  readonly group: string;
  /** The number of agents; a function if agents that have ended are not waited for. */
  readonly size: number | (() => number);
  readonly index: number;
  readonly give: unknown;
  /**
   * True if the events of each before the barrier are ordered before those of the others after it.
   * Default: true.
   */
  readonly orders?: boolean;
  /**
   * The ways in which these contributions, by index, complete the barrier, once `size` agents are
   * there. Each has the indices of the agents that continue; the others go on waiting. Default: all
   * continue.
   */
  readonly completes?: (given: readonly unknown[]) => readonly (readonly number[])[];
  /**
   * True if further agents may come first, and complete the barrier instead. Then it completes
   * after everything that other agents can do before it, in each of its ways.
   */
  readonly isLate?: boolean;
  /** The agents that are missing if those with these contributions have come, in words. */
  readonly needed?: (given: readonly unknown[]) => string;
  readonly site?: Site;
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
  | { readonly kind: 'fenceProxy'; readonly site: Site; readonly bridges: ProxyFence }
  | { readonly kind: 'use'; readonly values: readonly Later<unknown>[] }
  | {
      readonly kind: 'wait';
      readonly attempt: (read: AttemptRead) => { readonly value: unknown } | undefined;
      /** The same, but the agent need not get the last attempt. */
      readonly probe: (read: AttemptRead) => { readonly value: unknown } | undefined;
      /** True if two values make no difference to the agent. */
      readonly same: (a: unknown, b: unknown) => boolean;
      readonly site: Site;
    }
  | { readonly kind: 'meet'; readonly meeting: Meeting }
  | { readonly kind: 'spawn'; readonly programs: readonly AgentProgram[]; readonly after: SpawnedAfter }
  | { readonly kind: 'join'; readonly agents: Joined; readonly site: Site; readonly orders: boolean }
  | { readonly kind: 'open'; readonly programs: readonly AgentProgram[]; readonly after: readonly number[] }
  | { readonly kind: 'as'; readonly agent: number; readonly request: AccessRequest };

/** A request that an agent can make for one that it has opened. */
export type AccessRequest = Extract<Request, { readonly kind: 'read' | 'write' | 'modify' | 'fenceProxy' }>;

/**
 * Agents to wait for; a function if some may not have started yet, which then returns `undefined`.
 */
export type Joined = readonly number[] | (() => readonly number[] | undefined);

/**
 * Reads a number of `range.bytes` bytes. The value may be deferred: an agent continues without it
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
 * The new value that a read-modify-write makes of the old one; `undefined`: it writes nothing, and
 * is only a read.
 */
export type Change = (old: bigint) => bigint | undefined;

/**
 * Reads and writes in one step and returns the old value, possibly deferred. `always` declares that
 * `change` writes for every value that it reads; otherwise it counts as a write only once its read
 * is bound.
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
 * A proxy fence: accesses through one proxy that are ordered before it are also ordered before
 * those through another that come after it. Of the fabric proxy, a release half does so together
 * with an acquire half after it.
 */
export function* fenceProxy(site: Site, bridges: ProxyFence = 'async'): Asking<void> {
  yield { kind: 'fenceProxy', site, bridges };
}

/**
 * Opens agents that run beside this one, after everything that it did before and after all that
 * the agents `after` did. They do nothing by themselves: this agent makes their requests (`as`).
 * Returns their numbers. A `join` orders their accesses before what follows.
 */
export function* open(programs: readonly AgentProgram[], after: readonly number[] = []): Asking<readonly number[]> {
  const numbers = yield { kind: 'open', programs, after };
  return Array.isArray(numbers) ? numbers.map(Number) : [];
}

/** Makes the next request for an agent that this one has opened, and returns its answer. */
export function* as<T>(agent: number, asked: Asking<T>): Asking<T> {
  for (let next = asked.next(); ;) {
    if (next.done === true) return next.value;
    const request = next.value;
    if (!isAccess(request)) throw new RangeError(`An agent cannot make a request of kind ${request.kind} for another.`);
    next = asked.next(yield { kind: 'as', agent, request });
  }
}

/**
 * The value, as soon as its reads are bound. Everything that the agent does afterwards depends on
 * them.
 */
export function* use<T>(value: Later<T>): Asking<T> {
  if (value instanceof Deferred) yield { kind: 'use', values: [value] };
  return known(value);
}

/**
 * Blocks until `attempt` can be passed, then returns its value. Only the last attempt takes effect:
 * the reads of the others leave no trace. `attempt` may be called any number of times, must have no
 * effects, and returns `undefined` if it does not pass. `same` is true if the agent behaves the
 * same with either of two values; default: they are equal.
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
  if (passed === undefined) throw new RangeError('A wait ended without passing.');
  return passed.value;
}

/**
 * Blocks until all agents of the group have arrived; everything that each did before is ordered
 * before everything that each does after.
 */
export function* meet(meeting: Meeting): Asking<readonly unknown[]> {
  const given: unknown = yield { kind: 'meet', meeting };
  return Array.isArray(given) ? given.map((each: unknown) => each) : [];
}

/**
 * Starts agents. They come after everything that this one did before; or after its `releases`,
 * which are all before its last releasing fence of device scope or wider; or after `nothing`.
 * Returns their numbers.
 */
export function* spawn(
  programs: readonly AgentProgram[],
  after: SpawnedAfter = 'everything',
): Asking<readonly number[]> {
  const numbers = yield { kind: 'spawn', programs, after };
  return Array.isArray(numbers) ? numbers.map(Number) : [];
}

/**
 * Blocks until these agents have ended; all their accesses are ordered before this one's next
 * access. Without `orders` nothing is ordered: this agent only continues because they have ended.
 */
export function* join(agents: Joined, site: Site, orders = true): Asking<void> {
  yield { kind: 'join', agents, site, orders };
}

function isAccess(request: Request): request is AccessRequest {
  return ['read', 'write', 'modify', 'fenceProxy'].includes(request.kind);
}

function expectBits(answer: unknown): Later<bigint> {
  if (typeof answer === 'bigint') return answer;
  if (answer instanceof Deferred && answer.reads.length > 0) {
    const { reads } = answer;
    return new Deferred(reads, () => bitsOf(at(reads, 0)));
  }
  throw new RangeError('The result of a read is not a number.');
}
