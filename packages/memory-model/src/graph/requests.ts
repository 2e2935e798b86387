import type { AccessScope, MemoryOrder } from '@nccl-ts/core';
import { at } from '@nccl-ts/core';
import type { FabricPair } from '../fabric-pair.ts';
import { bitsOf, Deferred, known, type Later } from './deferred.ts';

/** The order and scope of an access or a fence. */
export interface Access {
  readonly order: MemoryOrder;
  readonly scope: AccessScope;
  /** True for a volatile access of PTX. */
  readonly volatile?: true;
  /** True for an atomic of PTX that names no scope. */
  readonly unscoped?: true;
  /** The position of the access in the vector instruction of PTX that it is a part of. */
  readonly part?: { readonly index: number; readonly of: number };
  /**
   * True if it is morally strong only for others of its kind: a reduction of the fabric, which goes
   * through a proxy of its own.
   */
  readonly fabric?: true;
  /**
   * For a write: agents that have ended, and whose events are over before the write takes effect.
   * They come before the threads that see it, as after a release, and not before its own thread.
   */
  readonly delivers?: readonly number[];
}

/**
 * The position of an agent. `rank` is its GPU, and `cta` is unique in the world. The host and the
 * network share no GPU with any agent.
 */
export interface AgentCoordinates {
  readonly rank: number;
  readonly cta: number;
  readonly thread: number;
  /** Unique among clusters of several CTAs of the world; absent for other CTAs. */
  readonly cluster?: number | undefined;
  readonly on?: 'device' | 'host' | 'network';
  /**
   * The memory synchronisation domain of its kernel. Device scope includes only kernels of the same
   * domain. If absent, domains have no effect.
   */
  readonly domain?: number | undefined;
  /**
   * The proxy through which it accesses memory, if that is not the generic proxy. Bulk copies, and
   * operations of the fabric in shared memory, use `async`. Operations of the fabric in global
   * memory use `fabric`. Accesses to the same bytes through two proxies need a proxy fence between
   * them. So do accesses of two agents that both use the fabric proxy.
   */
  readonly proxy?: 'async' | 'fabric';
}

/**
 * The accesses that a proxy fence orders: those through the generic and the async proxy, or those
 * through any proxies. For the fabric proxy and another one, the fence is only a release or an
 * acquire.
 */
export type ProxyFence = 'async' | 'all' | { readonly pair: FabricPair; readonly half: 'release' | 'acquire' };

/** The actions of an agent that precede the agents that it spawns. @see spawn */
export type SpawnedAfter = 'everything' | 'releases' | 'releases to its cluster' | 'nothing';

/** Identifies the source location of an event. Races are distinguished by it. */
export type Site = number | string;

/**
 * A program of an agent. It is restarted for every execution, and must behave the same whenever it
 * gets the same results.
 */
export interface AgentProgram {
  readonly name: string;
  readonly coordinates: AgentCoordinates;
  readonly start: () => AgentSteps;
}

/** The requests of an agent, in order. Its result is part of the outcome. */
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
 * The value that an agent contributes to a barrier, by its index there. Each agent receives all
 * values.
 */
export interface BarrierContribution {
  /** Agents with equal groups synchronize. A group can synchronize any number of times. */
  readonly group: string;
  /** The number of agents. A function if the barrier does not wait for agents that have ended. */
  readonly size: number | (() => number);
  readonly index: number;
  readonly give: unknown;
  /**
   * True if each agent's events before the barrier are ordered before the others' events after it.
   * @default true
   */
  readonly orders?: boolean;
  /**
   * The ways in which these contributions, by index, complete the barrier, once `size` agents are
   * there. Each has the indices of the agents that continue; the others go on waiting.
   *
   * @default all continue
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
      /** The same, but the agent may receive another attempt than the last one. */
      readonly probe: (read: AttemptRead) => { readonly value: unknown } | undefined;
      /** True if the agent behaves the same with both values. */
      readonly same: (a: unknown, b: unknown) => boolean;
      readonly site: Site;
    }
  | { readonly kind: 'meet'; readonly meeting: BarrierContribution }
  | { readonly kind: 'spawn'; readonly programs: readonly AgentProgram[]; readonly after: SpawnedAfter }
  | { readonly kind: 'join'; readonly agents: Joined; readonly site: Site; readonly orders: boolean }
  | { readonly kind: 'open'; readonly programs: readonly AgentProgram[]; readonly after: readonly number[] }
  | { readonly kind: 'as'; readonly agent: number; readonly request: AccessRequest };

/** A request that an agent can make for another agent that it has opened. */
export type AccessRequest = Extract<Request, { readonly kind: 'read' | 'write' | 'modify' | 'fenceProxy' }>;

/**
 * The agents to wait for. If some may not have started yet, a function that returns `undefined`
 * until they have.
 */
export type Joined = readonly number[] | (() => readonly number[] | undefined);

/**
 * Reads a number of `range.bytes` bytes. The value may be deferred. The agent continues without it
 * until it calls `use`.
 */
export function* read(range: ByteRange, access: Access | undefined, site: Site): Asking<Later<bigint>> {
  return expectBits(yield { kind: 'read', range, access, site });
}

/** Writes the low `range.bytes` bytes of `value`. */
export function* write(range: ByteRange, access: Access | undefined, site: Site, value: Later<bigint>): Asking<void> {
  yield { kind: 'write', range, access, site, value };
}

/**
 * Computes the new value of a read-modify-write from the old one. If `undefined`, it writes
 * nothing, and is only a read.
 */
export type UpdateFunction = (old: bigint) => bigint | undefined;

/**
 * Reads and writes atomically, and returns the old value, which may be deferred. `always` declares
 * that `change` writes for every value that it reads. Otherwise the request counts as a write only
 * once its read is bound.
 */
export function* modify(
  range: ByteRange,
  access: Access,
  site: Site,
  change: Later<UpdateFunction>,
  always = true,
): Asking<Later<bigint>> {
  return expectBits(yield { kind: 'modify', range, access, site, change, always });
}

export function* fence(access: Access, site: Site): Asking<void> {
  yield { kind: 'fence', access, site };
}

/**
 * A proxy fence. It orders earlier accesses through one proxy before later accesses through
 * another. For the fabric proxy, this takes a release fence and a later acquire fence.
 */
export function* fenceProxy(site: Site, bridges: ProxyFence = 'async'): Asking<void> {
  yield { kind: 'fenceProxy', site, bridges };
}

/**
 * Opens agents that run concurrently with this one. They start after everything that this agent and
 * the agents `after` did. They do nothing by themselves; this agent makes their requests (`as`).
 * Returns their numbers. A `join` orders their accesses before the events that follow it.
 */
export function* open(programs: readonly AgentProgram[], after: readonly number[] = []): Asking<readonly number[]> {
  const numbers = yield { kind: 'open', programs, after };
  return Array.isArray(numbers) ? numbers.map(Number) : [];
}

/** Makes the next request for an agent that this one has opened, and returns its result. */
export function* as<T>(agent: number, requested: Asking<T>): Asking<T> {
  for (let next = requested.next(); ;) {
    if (next.done === true) return next.value;
    const request = next.value;
    if (!isAccess(request)) throw new RangeError(`An agent cannot make a request of kind ${request.kind} for another.`);
    next = requested.next(yield { kind: 'as', agent, request });
  }
}

/**
 * Waits until the reads of a value are bound, and returns the value. Everything that the agent does
 * afterwards depends on them.
 */
export function* use<T>(value: Later<T>): Asking<T> {
  if (value instanceof Deferred) yield { kind: 'use', values: [value] };
  return known(value);
}

/**
 * Blocks until `attempt` returns a value, and returns that value. Only the reads of the last
 * attempt become events. `attempt` may be called any number of times and must have no effects. It
 * returns `undefined` while the wait must continue. `same` returns true if the agent behaves the
 * same with two values. By default they must be equal.
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
 * Blocks until all agents of the group have arrived. Everything that each did before is ordered
 * before everything that each does afterwards.
 */
export function* meet(meeting: BarrierContribution): Asking<readonly unknown[]> {
  const given: unknown = yield { kind: 'meet', meeting };
  return Array.isArray(given) ? given.map((each: unknown) => each) : [];
}

/**
 * Starts agents and returns their numbers. By default they come after everything that this agent
 * did. With `releases` they come after everything before its last releasing fence of device scope
 * or wider, or of cluster scope or wider with `releases to its cluster`. With `nothing` they come
 * after nothing.
 */
export function* spawn(
  programs: readonly AgentProgram[],
  after: SpawnedAfter = 'everything',
): Asking<readonly number[]> {
  const numbers = yield { kind: 'spawn', programs, after };
  return Array.isArray(numbers) ? numbers.map(Number) : [];
}

/**
 * Blocks until these agents have ended. All their accesses are ordered before this agent's next
 * access. Without `orders` nothing is ordered, and the agent only waits.
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
