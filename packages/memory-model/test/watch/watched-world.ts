import type { MemoryOrder, MemoryProxy, MemoryScope } from '@nccl-ts/core';

import {
  agentOf,
  Clock,
  fenceFabric,
  HappensBefore,
  scopeWidth,
  threadOf,
  type AccessKind,
  type Agent,
  type FabricFence,
  type GroupClocks,
  type Seen,
  type Shadow,
  type WatchedSite,
} from '../../src/index.ts';

/** Threads whose accesses a test lists in the order in which they happen. */
export class WatchedWorld {
  readonly seen: Seen[] = [];
  readonly engine: HappensBefore;
  readonly #sites = new Map<string, number>();

  constructor() {
    this.engine = new HappensBefore({ onSeen: (seen) => this.seen.push(seen) });
    // Location 0 is that of the initial contents.
    this.engine.addSites([{ kind: 'store', bytes: 4 }]);
    this.engine.given(0, 4096);
  }

  /**
   * The problems seen so far, without duplicates, as `kind first second`, with a thread as
   * `agent.thread`.
   */
  get told(): readonly string[] {
    return [...new Set(this.seen.map(tell))];
  }

  /** Returns the same, and forgets it. */
  take(): readonly string[] {
    const { told } = this;
    this.seen.length = 0;
    return told;
  }

  /** A CTA on `rank`; agents count from 1. */
  cta(rank: number, threads: number, begin: Clock = new Clock(0)): WatchedGroup {
    return this.again(this.engine.addAgent({ kind: 'cta', rank }), threads, begin);
  }

  /**
   * An operation of a logical endpoint that `thread` posts. It comes after everything that the
   * thread did.
   */
  operation(of: WatchedThread): WatchedThread {
    const agent = this.engine.addAgent({ kind: 'fabric', rank: of.clocks.rank, of: of.clocks.agent });
    const made = this.again(agent, 1, new Clock(0)).thread(0);
    made.clocks.join(0, of.clocks.snapshot(of.number));
    return made;
  }

  /** Another kernel of the agent. */
  again(agent: Agent, threads: number, begin: Clock): WatchedGroup {
    return new WatchedGroup(this, agent, this.engine.open(agent, threads, begin, 0, 64));
  }

  /** A thread that is alone in its CTA. */
  alone(rank: number): WatchedThread {
    return this.cta(rank, 1).thread(0);
  }

  /** The number of a source location with this kind of access. */
  site(site: WatchedSite): number {
    const key = JSON.stringify(site);
    const known = this.#sites.get(key);
    if (known !== undefined) return known;
    const added = this.engine.addSites([site]);
    this.#sites.set(key, added);
    return added;
  }
}

export class WatchedGroup {
  readonly agent: Agent;
  readonly clocks: GroupClocks;
  readonly #world: WatchedWorld;

  constructor(world: WatchedWorld, agent: Agent, clocks: GroupClocks) {
    this.#world = world;
    this.agent = agent;
    this.clocks = clocks;
  }

  thread(number: number): WatchedThread {
    return new WatchedThread(this.#world, this.clocks, number);
  }

  end(clock: Clock): void {
    this.#world.engine.close(this.clocks, clock);
  }
}

export type AccessOptions = Readonly<{ bytes?: number; multicast?: boolean; shadow?: Shadow }>;

export class WatchedThread {
  readonly clocks: GroupClocks;
  readonly number: number;
  readonly #world: WatchedWorld;

  constructor(world: WatchedWorld, clocks: GroupClocks, number: number) {
    this.#world = world;
    this.clocks = clocks;
    this.number = number;
  }

  read(address: number, { bytes = 4, multicast = false, shadow }: AccessOptions = {}): void {
    const { accesses, shadow: heap } = this.#world.engine;
    const site = this.#site('load', bytes, multicast);
    accesses.read(this.clocks, this.number, shadow ?? heap, address, bytes, site);
  }

  write(address: number, { bytes = 4, multicast = false, shadow }: AccessOptions = {}): void {
    const { accesses, shadow: heap } = this.#world.engine;
    const site = this.#site('store', bytes, multicast);
    accesses.write(this.clocks, this.number, shadow ?? heap, address, bytes, site);
  }

  load(address: number, order: MemoryOrder, scope: MemoryScope = 'system', options: AccessOptions = {}): void {
    const { engine } = this.#world;
    const site = this.#site('load', options.bytes ?? 4, false, { order, scope });
    engine.load(this.clocks, this.number, options.shadow ?? engine.shadow, address, site);
  }

  store(address: number, order: MemoryOrder, scope: MemoryScope = 'system', options: AccessOptions = {}): void {
    const { engine } = this.#world;
    const site = this.#site('store', options.bytes ?? 4, false, { order, scope });
    engine.store(this.clocks, this.number, options.shadow ?? engine.shadow, address, site);
  }

  update(address: number, order: MemoryOrder, scope: MemoryScope = 'system', options: AccessOptions = {}): void {
    const { engine } = this.#world;
    const site = this.#site('atomic', options.bytes ?? 4, false, { order, scope });
    engine.update(this.clocks, this.number, options.shadow ?? engine.shadow, address, site);
  }

  fence(order: MemoryOrder, scope: MemoryScope = 'system'): void {
    this.#world.engine.fence(this.clocks, this.number, order, scopeWidth(scope));
  }

  fenceFabric(
    producer: MemoryProxy,
    consumer: MemoryProxy,
    order: MemoryOrder,
    scope: FabricFence['scope'] = 'system',
  ): void {
    fenceFabric(this.#world.engine, this.clocks, this.number, { producer, consumer, order, scope });
  }

  fenceProxy(): void {
    this.#world.engine.fenceProxy(this.clocks, this.number);
  }

  /** The thread waits for the end of an operation. */
  awaits(operation: WatchedThread): void {
    this.clocks.join(this.number, operation.clocks.snapshot(operation.number));
  }

  #site(kind: AccessKind, bytes: number, multicast: boolean, access?: WatchedSite['access']): number {
    return this.#world.site({ kind, bytes, access, multicast });
  }
}

function tell(seen: Seen): string {
  const now = nameOf(seen.now.who);
  return seen.kind === 'uninitialised' ? `${seen.kind} ${now}` : `${seen.kind} ${nameOf(seen.before.who)} ${now}`;
}

function nameOf(who: number): string {
  return `${agentOf(who)}.${threadOf(who)}`;
}
