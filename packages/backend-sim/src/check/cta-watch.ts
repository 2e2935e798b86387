import { at, LINE, WARP_SIZE, type AccessScope, type MemoryOrder, type MemoryProxy } from '@nccl-ts/core';
import type { WaitedWord } from '@nccl-ts/findings';
import {
  decides,
  fenceFabric,
  mayHitCache,
  scopeWidth,
  type Shadow,
  type Clock,
  type Determinacy,
  type GroupClocks,
  type HappensBefore,
  type SyncWord,
  type WarpInstruction,
  type WaitRead,
} from '@nccl-ts/memory-model';
import type { CtaWatch, WatchedSpace } from '@nccl-ts/codegen';
import { BulkCopies, type BulkAgent } from './bulk-copies.ts';
import type { ClusterWatch } from './cluster-watch.ts';
import type { LaunchScope } from './launch-scope.ts';
import type { WordAt, WordStories } from './story/word-stories.ts';
import type { FollowedLoads } from './unused-loads.ts';
import { nonCoherentFidelity } from '@nccl-ts/ir';
import { gatheringPointName } from '../schedule/gathering.ts';
import { PassingReads, type Accepts, type OnPassed } from './passing-reads.ts';

/** Receives events that do not concern memory order. */
export interface ProtocolWatch {
  /** Called when a store changes a word that only the network may change. */
  stores(group: GroupClocks, thread: number, address: number, bytes: number, site: number): void;
  /** True if there are such words. */
  readonly keepsWords: boolean;
  reads(address: number): void;
  waited(words: readonly WaitedWord[], reached: boolean, excess: bigint): void;
  resets(address: number): void;
  /** Called when an ordinary store reaches a copy behind a multicast address. */
  broadcasts(group: GroupClocks, thread: number, site: number): void;
  /**
   * Called when a wait of this CTA for `least` or more has passed. It counts as having read `word`.
   */
  passed(group: GroupClocks, read: WaitRead, word: SyncWord, least: bigint | undefined): void;
  beginsSession(group: GroupClocks, thread: number, address: number, site: number, session: number): void;
  endsSession(group: GroupClocks, address: number, site: number): void;
}

/** Loads that an L1 cache may serve with old bytes, since no thread has acquired. */
const CACHED_LOAD = 'a plain load after a volatile wait as one that no L1 cache serves';

/** Reads the results of stores before any other store takes effect. */
export interface OpenValues {
  readonly isOpen: boolean;
  settle(): void;
}

/** A CTA's place in a cluster of several. */
export interface ClusterMembership {
  readonly watch: ClusterWatch;
  readonly rank: number;
}

export interface CheckedCtaInit {
  readonly order: HappensBefore;
  readonly group: GroupClocks;
  /** The name of the kernel. */
  readonly kernel: string;
  /** The accesses to its shared memory, with those of the other CTAs of its cluster. */
  readonly sharedShadow: Shadow;
  /** Absent for a CTA that is a cluster by itself. */
  readonly cluster: ClusterMembership | undefined;
  readonly protocol: ProtocolWatch;
  readonly values: OpenValues;
  readonly unused: FollowedLoads;
  /** For a launch that may begin early: the clock at the end of the previous launch. */
  readonly dependency: Clock | undefined;
  readonly onDone: (group: GroupClocks) => void;
  /** Called for each wait that another CTA may have satisfied. */
  readonly onWaited: () => void;
  /** Called for something at the source location `site` that is not modelled exactly. */
  readonly onApproximate: (site: number, how: string) => void;
  /** Makes the agent of the CTA's bulk copies, or that of its asynchronous stores. */
  readonly bulk: (isGeneric: boolean) => BulkAgent;
  readonly fabric: FabricReads;
  readonly scope: LaunchScope;
  readonly stories: WordStories;
}

/** Orders threads after the reads of fabric operations. */
export interface FabricReads {
  hasRead(group: GroupClocks, thread: number, operations: readonly object[]): void;
}

/** Reports the actions of one CTA to the checker. */
export class CheckedCta implements CtaWatch {
  readonly global: WatchedSpace;
  readonly shared: WatchedSpace;
  readonly sharedShadow: Shadow;
  readonly bulk: BulkCopies;
  readonly #fabric: FabricReads;
  readonly #cluster: ClusterMembership | undefined;
  readonly #passing: PassingReads;
  readonly group: GroupClocks;
  readonly #order: HappensBefore;
  readonly #protocol: ProtocolWatch;
  readonly #values: OpenValues;
  readonly #onDone: (group: GroupClocks) => void;
  readonly #onApproximate: CheckedCtaInit['onApproximate'];
  /** The clock of threads that have waited for the previous launch, if the whole CTA has not. */
  readonly #dependency: Clock | undefined;
  /** By named barrier. */
  readonly #released = new Map<number, Release>();
  /** By thread: the instruction that it runs together with other lanes. */
  readonly #instructions: (WarpInstruction | undefined)[] = [];
  readonly #kernel: string;

  constructor(init: CheckedCtaInit) {
    const { order, group, kernel, sharedShadow, protocol, values, dependency, onDone, onWaited, bulk, fabric, scope } =
      init;
    this.#kernel = kernel;
    this.sharedShadow = sharedShadow;
    this.#cluster = init.cluster;
    this.group = group;
    this.#fabric = fabric;
    this.#order = order;
    this.#protocol = protocol;
    this.#values = values;
    this.#onDone = onDone;
    this.#onApproximate = init.onApproximate;
    this.#dependency = dependency;
    const onPassed: OnPassed = (read, word, least) => {
      if (read.shadow === order.shadow) protocol.passed(group, read, word, least);
    };
    this.#passing = new PassingReads(order, group, onPassed, onWaited, init.stories);
    this.bulk = new BulkCopies(order, group, bulk);
    const instructions = this.#instructions;
    const { onApproximate } = init;
    const passing = this.#passing;
    const { unused, stories, cluster } = init;
    const both = { onApproximate, order, group, passing, values, unused, stories, bulk: this.bulk, instructions };
    this.global = new CheckedSpace({ ...both, shadow: order.shadow, protocol, scope });
    this.shared = new CheckedSpace({ ...both, shadow: this.sharedShadow, protocol: undefined, scope: undefined });
    if (cluster !== undefined) this.shared = new ClusterSpace(this.shared, cluster, group, this.bulk);
    cluster?.watch.remote.starts(group, cluster.rank);
  }

  clusterArrives(thread: number, releases: boolean): void {
    this.#cluster?.watch.arrives(this.group, thread, releases);
  }

  clusterPasses(thread: number): void {
    this.#cluster?.watch.passes(this.group, thread);
  }

  fence(thread: number, order: MemoryOrder, scope: AccessScope): void {
    this.#order.fence(this.group, thread, order, scopeWidth(scope));
  }

  fenceProxy(thread: number): void {
    this.#order.fenceProxy(this.group, thread);
  }

  fenceFabric(
    thread: number,
    producer: MemoryProxy,
    consumer: MemoryProxy,
    order: MemoryOrder,
    scope: AccessScope,
  ): void {
    const reach = scope === 'system' ? scope : 'block';
    fenceFabric(this.#order, this.group, thread, { producer, consumer, order, scope: reach });
  }

  fabricRead(thread: number, operations: readonly object[]): void {
    this.#fabric.hasRead(this.group, thread, operations);
  }

  afterDependency(thread: number): void {
    if (this.#dependency === undefined) return;
    this.group.afterLaunches(thread, this.#dependency);
    // The end of a launch is also a fence of all proxies.
    this.#order.fenceProxy(this.group, thread);
  }

  settle(thread: number, address: number): void {
    this.#order.settle(this.group, thread, address);
  }

  reads(address: number): void {
    this.#protocol.reads(address);
  }

  passes(): boolean {
    return this.#passing.begin();
  }

  waited(words: readonly WaitedWord[], reached: boolean, excess: number | bigint | undefined): void {
    this.#protocol.waited(words, reached, BigInt(excess ?? 0));
    this.#passing.learn(words, excess);
  }

  wants(accepts: Accepts | 'any' | undefined, isUsedAfter: boolean): void {
    this.#passing.want({ accepts, isUsedAfter });
  }

  passed(reached?: boolean): void {
    this.#passing.end(reached);
  }

  beginsSession(thread: number, address: number, site: number, session: number): void {
    this.#protocol.beginsSession(this.group, thread, address, site, session);
  }

  endsSession(address: number, site: number): void {
    this.#protocol.endsSession(this.group, address, site);
  }

  broadcasts(thread: number, site: number): void {
    this.#protocol.broadcasts(this.group, thread, site);
  }

  approximates(site: number, how: string): void {
    this.#onApproximate(site, how);
  }

  resets(thread: number, address: number, site: number): void {
    this.#protocol.resets(address);
    this.#order.accesses.write(this.group, thread, this.#order.shadow, address, 8, site);
  }

  meetAll(): void {
    this.group.meetAll();
  }

  meetTiles(size: number): void {
    const { threads } = this.group;
    if (size >= threads) {
      this.group.meetAll();
      return;
    }
    for (let first = 0; first < threads; first += size) {
      const count = Math.min(size, threads - first);
      this.group.meet(Array.from({ length: count }, (_, i) => first + i));
    }
  }

  meet(members: readonly number[]): void {
    this.group.meet(members);
  }

  meetAt(barrier: number, members: readonly number[]): void {
    const last = this.#released.get(barrier);
    if (last !== undefined && !this.#comeAfter(members, last))
      this.#order.determinacy?.doubts('a barrier may be completed by different warps');
    this.#released.set(barrier, { members, stamp: this.group.stamp });
    this.group.meet(members);
  }

  /** True if warps come to a barrier again, or cannot come before it has released others. */
  #comeAfter(members: readonly number[], { members: before, stamp }: Release): boolean {
    const one = this.group.whoBase + at(before, 0);
    const warps = new Set(before.map(warpOf));
    for (const thread of members) if (this.group.isAfter(thread, one, stamp)) warps.add(warpOf(thread));
    return members.every((thread) => warps.has(warpOf(thread)));
  }

  together(lanes: readonly number[], point: number): void {
    const instruction = { line: gatheringPointName(this.#kernel, point) };
    for (const lane of lanes) this.#instructions[lane] = instruction;
  }

  alone(thread: number): void {
    this.#instructions[thread] = undefined;
  }

  done(): void {
    if (this.#values.isOpen) this.#values.settle();
    this.#cluster?.watch.remote.ends(this.group, this.#cluster.rank);
    this.#onDone(this.group);
  }
}

/** The threads that a barrier has released, and when. */
interface Release {
  readonly members: readonly number[];
  readonly stamp: number;
}

function warpOf(thread: number): number {
  return Math.floor(thread / WARP_SIZE);
}

interface CheckedSpaceInit extends Pick<CheckedCtaInit, 'onApproximate'> {
  readonly order: HappensBefore;
  readonly group: GroupClocks;
  readonly shadow: Shadow;
  readonly protocol: ProtocolWatch | undefined;
  /** For global memory, which other ranks may own. */
  readonly scope: LaunchScope | undefined;
  readonly passing: PassingReads;
  readonly values: OpenValues;
  readonly unused: FollowedLoads;
  readonly bulk: BulkCopies;
  readonly instructions: readonly (WarpInstruction | undefined)[];
  readonly stories: WordStories;
}

/** The shared memory of a cluster. It notes accesses to that of other CTAs. */
class ClusterSpace implements WatchedSpace {
  readonly #space: WatchedSpace;
  readonly #cluster: ClusterMembership;
  readonly #group: GroupClocks;
  readonly #bulk: BulkCopies;

  constructor(space: WatchedSpace, cluster: ClusterMembership, group: GroupClocks, bulk: BulkCopies) {
    this.#space = space;
    this.#cluster = cluster;
    this.#group = group;
    this.#bulk = bulk;
  }

  #accessed(thread: number, address: number, site: number, isStrongWrite: boolean, writes: boolean): void {
    const { watch, rank } = this.#cluster;
    const [group, by] = this.#bulk.accessor(thread, writes) ?? [this.#group, thread];
    watch.remote.accessed(group, by, rank, address, site, isStrongWrite);
  }

  load(thread: number, address: number, bytes: number, site: number): void {
    this.#space.load(thread, address, bytes, site);
    this.#accessed(thread, address, site, false, false);
  }

  store(thread: number, address: number, bytes: number, site: number): void {
    this.#space.store(thread, address, bytes, site);
    this.#accessed(thread, address, site, false, true);
  }

  loadStrong(thread: number, address: number, site: number): void {
    this.#space.loadStrong(thread, address, site);
    // A copy's own strong accesses are those of its end, at the mbarrier.
    this.#accessed(thread, address, site, false, true);
  }

  storeStrong(thread: number, address: number, site: number): void {
    this.#space.storeStrong(thread, address, site);
    this.#accessed(thread, address, site, true, true);
  }

  update(thread: number, address: number, site: number, wrote: boolean): void {
    this.#space.update(thread, address, site, wrote);
    this.#accessed(thread, address, site, wrote, true);
  }
}

class CheckedSpace implements WatchedSpace {
  readonly #onApproximate: CheckedCtaInit['onApproximate'];
  readonly #order: HappensBefore;
  readonly #determinacy: Determinacy | undefined;
  readonly #group: GroupClocks;
  readonly #shadow: Shadow;
  readonly #protocol: ProtocolWatch | undefined;
  readonly #scope: LaunchScope | undefined;
  readonly #passing: PassingReads;
  readonly #values: OpenValues;
  readonly #unused: FollowedLoads;
  readonly #bulk: BulkCopies;
  readonly #instructions: readonly (WarpInstruction | undefined)[];
  readonly #stories: WordStories;

  constructor(init: CheckedSpaceInit) {
    const { order, group, shadow, protocol, scope, passing, values, bulk, instructions } = init;
    this.#unused = init.unused;
    this.#stories = init.stories;
    this.#onApproximate = init.onApproximate;
    this.#scope = scope;
    this.#bulk = bulk;
    this.#instructions = instructions;
    this.#values = values;
    this.#order = order;
    this.#determinacy = order.determinacy;
    this.#group = group;
    this.#shadow = shadow;
    this.#protocol = protocol;
    this.#passing = passing;
  }

  load(thread: number, address: number, bytes: number, site: number): void {
    this.#reaches(address, site);
    this.#unused.uses(this.#group, thread, site);
    if (this.#bulk.isCopying(thread)) {
      this.#bulk.load(this.#shadow, thread, address, bytes, site);
      return;
    }
    const { accesses, sites } = this.#order;
    if (this.#determinacy?.needsUses === true) this.#determinacy.uses(this.#group, thread, site);
    this.#unused.loads(this.#group, thread, site);
    accesses.read(this.#group, thread, this.#shadow, address, bytes, site);
    const isNonCoherent = sites[this.#group.siteBase + site]?.isNonCoherent === true;
    if (isNonCoherent && accesses.wasWrittenSince(this.#group.beginning.base, this.#shadow, address, bytes))
      this.#onApproximate(site, nonCoherentFidelity.how);
    if (!this.#order.isOnHardware) return;
    const isGlobal = this.#shadow === this.#order.shadow;
    if (isGlobal && mayHitCache(this.#order, this.#group, address, bytes)) this.#onApproximate(site, CACHED_LOAD);
    if (bytes === LINE && sites[this.#group.siteBase + site]?.polls === true)
      this.#order.polledLine(this.#group, thread, this.#shadow, address, bytes);
  }

  store(thread: number, address: number, bytes: number, site: number): void {
    this.#unused.uses(this.#group, thread, site);
    this.#scope?.accesses(this.#group.rank, address);
    if (this.#values.isOpen) this.#values.settle();
    if (this.#protocol?.keepsWords === true) this.#protocol.stores(this.#group, thread, address, bytes, site);
    if (this.#bulk.isCopying(thread)) {
      this.#bulk.store(this.#shadow, thread, address, bytes, site);
      return;
    }
    if (this.#determinacy?.needsUses === true) this.#determinacy.uses(this.#group, thread, site);
    if (this.#order.isOnHardware && this.#order.sites[this.#group.siteBase + site]?.access !== undefined) {
      this.#unused.tells(this.#group, thread);
      this.#order.store(this.#group, thread, this.#shadow, address, site);
    } else if (bytes === LINE && this.#order.isOnHardware) {
      this.#order.storeLine(this.#group, thread, this.#shadow, address, site);
    } else {
      this.#order.accesses.write(this.#group, thread, this.#shadow, address, bytes, site);
    }
    if (bytes === LINE) this.#storedByWarp(thread, address, bytes, site);
  }

  #word(address: number, site: number): WordAt {
    return { shadow: this.#shadow, address, bytes: at(this.#order.sites, this.#group.siteBase + site).bytes };
  }

  /** A load or an atomic at which the thread waits reaches other ranks, wherever the word is. */
  #reaches(address: number, site: number): void {
    this.#scope?.accesses(this.#group.rank, address, this.#group.siteBase + site);
  }

  /**
   * A lane has stored its part of what its warp may store at once. If the lanes do not run their
   * instructions together, those of one source location count as one instruction, which may be too
   * many.
   */
  #storedByWarp(thread: number, address: number, bytes: number, site: number): void {
    if (this.#protocol === undefined) return;
    const warp = this.#group.whoBase + thread - (thread % WARP_SIZE);
    const instruction = this.#instructions[thread] ?? warp * 2 ** 20 + site;
    this.#order.warpLines.stored(this.#group, this.#shadow, address, bytes, instruction);
  }

  loadStrong(thread: number, address: number, site: number): void {
    this.#unused.uses(this.#group, thread, site);
    this.#reaches(address, site);
    if (this.#bulk.isCopying(thread)) {
      this.#bulk.loadStrong(this.#shadow, thread, address, site);
      return;
    }
    this.#stories.read(this.#group, thread, this.#word(address, site), site, this.#passing.isOpen);
    if (this.#passing.isOpen) {
      if (this.#determinacy?.needsUses === true) this.#determinacy.uses(this.#group, thread, site);
      this.#passing.take({ shadow: this.#shadow, thread, address, site });
      this.#order.warpLines.loaded(this.#group, this.#shadow, address, undefined);
      return;
    }
    this.#order.warpLines.loaded(this.#group, this.#shadow, address, this.#instructions[thread]);
    this.#order.load(this.#group, thread, this.#shadow, address, site);
  }

  storeStrong(thread: number, address: number, site: number): void {
    this.#unused.uses(this.#group, thread, site);
    this.#scope?.accesses(this.#group.rank, address);
    if (this.#values.isOpen) this.#values.settle();
    if (this.#protocol?.keepsWords === true) this.#protocol.stores(this.#group, thread, address, 1, site);
    if (this.#determinacy?.needsUses === true) this.#determinacy.uses(this.#group, thread, site);
    const word = this.#word(address, site);
    this.#stories.wrote(this.#group, thread, word, site, false);
    this.#unused.tells(this.#group, thread);
    this.#order.store(this.#group, thread, this.#shadow, address, site);
    this.#storedByWarp(thread, address, word.bytes, site);
  }

  update(thread: number, address: number, site: number, wrote: boolean): void {
    this.#unused.uses(this.#group, thread, site);
    this.#reaches(address, site);
    if (this.#values.isOpen) this.#values.settle();
    if (wrote && this.#protocol?.keepsWords === true) this.#protocol.stores(this.#group, thread, address, 1, site);
    if (this.#bulk.isCopying(thread)) {
      if (wrote) this.#bulk.update(this.#shadow, thread, address, site);
      else this.#bulk.loadStrong(this.#shadow, thread, address, site);
      return;
    }
    if (this.#determinacy?.needsUses === true) this.#determinacy.uses(this.#group, thread, site);
    const word = this.#word(address, site);
    // A reduction reads nothing that its thread learns.
    if (decides(at(this.#order.sites, this.#group.siteBase + site)))
      this.#stories.read(this.#group, thread, word, site, false);
    if (wrote) {
      this.#stories.wrote(this.#group, thread, word, site, true);
      this.#unused.tells(this.#group, thread);
      this.#order.update(this.#group, thread, this.#shadow, address, site);
    } else this.#order.load(this.#group, thread, this.#shadow, address, site);
  }
}
