import type { GroupClocks, HappensBefore, Shadow, Snapshot } from '@nccl-ts/memory-model';
import type { BulkGroups, BulkWatch } from '@nccl-ts/codegen';

/**
 * The number of threads that copies use in turn. Each is a pair: one thread reads, the other
 * writes. Copies that use the same thread are ordered.
 */
export const BULK_THREADS = 64;

/** The agent that performs the copies of a CTA. */
export interface BulkAgent {
  readonly group: GroupClocks;
  /** Called when the next copy belongs to `thread`. */
  readonly begins: (thread: number) => void;
}

/** A copy that a thread is making. */
interface OpenCopy {
  /** The threads of the agent that read and write. */
  readonly reads: number;
  readonly writes: number;
  readonly agent: BulkAgent;
  /** True if it uses the generic proxy. */
  readonly isGeneric: boolean;
  hasRead: Snapshot | undefined;
}

/** A copy of a group. The callbacks run after it has read and after it has ended. */
interface GroupedCopy {
  readonly hasRead: Snapshot;
  readonly isOver: Snapshot;
}

/** The copies of a thread that are in no group, and those in groups. */
interface CopyQueue {
  readonly loose: GroupedCopy[];
  readonly groups: (readonly GroupedCopy[])[];
}

/**
 * The bulk copies and the asynchronous stores of one CTA. Each behaves like a separate thread that
 * runs beside the thread that started it.
 */
export class BulkCopies implements BulkWatch {
  readonly #order: HappensBefore;
  readonly #group: GroupClocks;
  readonly #open: (isGeneric: boolean) => BulkAgent;
  /** By `isGeneric`. */
  readonly #agents = new Map<boolean, BulkAgent>();
  #count = 0;
  /** True if there was a copy. Most kernels have none, and every access asks. */
  #isUsed = false;
  /** By agent: the events before proxy fences when its last copy began. */
  readonly #begun = new Map<BulkAgent, GroupClocks['bridged']>();
  /** By thread. */
  readonly #copying = new Map<number, OpenCopy>();
  readonly #queues = new Map<string, CopyQueue>();

  constructor(order: HappensBefore, group: GroupClocks, open: (isGeneric: boolean) => BulkAgent) {
    this.#order = order;
    this.#group = group;
    this.#open = open;
  }

  begins(thread: number, isGeneric: boolean): void {
    const agent = this.#agents.get(isGeneric) ?? this.#open(isGeneric);
    this.#agents.set(isGeneric, agent);
    const { group, begins } = agent;
    const reads = (2 * this.#count++) % BULK_THREADS;
    const before = this.#group.snapshot(thread);
    group.stamp++;
    begins(thread);
    for (const one of [reads, reads + 1]) group.join(one, before);
    this.#isUsed = true;
    const { bridged } = group;
    if (bridged !== undefined) bridged.shared = true;
    this.#begun.set(agent, bridged);
    this.#copying.set(thread, { reads, writes: reads + 1, agent, isGeneric, hasRead: undefined });
  }

  copied(thread: number): void {
    const copy = this.#copy(thread);
    const { group } = copy.agent;
    group.join(copy.writes, group.snapshot(copy.reads));
    // The end of a copy is a proxy fence for its accesses, and that of its reads is one for them.
    if (!copy.isGeneric) for (const one of [copy.writes, copy.reads]) group.fenceProxy(one, true);
    copy.hasRead = group.snapshot(copy.reads);
  }

  ends(thread: number, groups: BulkGroups | undefined): void {
    const { writes, hasRead, agent } = this.#copy(thread);
    const { group } = agent;
    this.#copying.delete(thread);
    const isOver = group.snapshot(writes);
    // The fences of copies are for those who wait for them, and not for the next copies.
    if (this.#copying.size === 0) group.bridged = this.#begun.get(agent);
    if (groups !== undefined) this.#queueOf(thread, groups).loose.push({ hasRead: hasRead ?? isOver, isOver });
  }

  commits(thread: number, of: BulkGroups): void {
    const { loose, groups } = this.#queueOf(thread, of);
    groups.push(loose.splice(0));
  }

  waits(thread: number, left: number, onlyReads: boolean, of: BulkGroups): void {
    const { groups } = this.#queueOf(thread, of);
    const over = Math.max(0, groups.length - left);
    for (const copies of groups.slice(0, over))
      for (const { hasRead, isOver } of copies) this.#group.join(thread, onlyReads ? hasRead : isOver);
    if (!onlyReads) groups.splice(0, over);
  }

  /**
   * The thread of the agent that reads or writes for a copy in progress; `undefined` if none is.
   */
  accessor(thread: number, writes: boolean): readonly [group: GroupClocks, thread: number] | undefined {
    const copy = this.#isUsed ? this.#copying.get(thread) : undefined;
    return copy === undefined ? undefined : [copy.agent.group, writes ? copy.writes : copy.reads];
  }

  isCopying(thread: number): boolean {
    return this.#isUsed && this.#copying.has(thread);
  }

  load(shadow: Shadow, thread: number, address: number, bytes: number, site: number): void {
    const { agent, reads } = this.#copy(thread);
    this.#order.accesses.read(agent.group, reads, shadow, address, bytes, site);
  }

  store(shadow: Shadow, thread: number, address: number, bytes: number, site: number): void {
    const { agent, writes } = this.#copy(thread);
    this.#order.accesses.write(agent.group, writes, shadow, address, bytes, site);
  }

  loadStrong(shadow: Shadow, thread: number, address: number, site: number): void {
    const { agent, writes } = this.#copy(thread);
    this.#order.load(agent.group, writes, shadow, address, site);
  }

  update(shadow: Shadow, thread: number, address: number, site: number): void {
    const { agent, writes, isGeneric } = this.#copy(thread);
    // The bytes that an mbarrier counts come after the copy's accesses, as part of its end.
    if (!isGeneric) agent.group.fenceCompletion(writes);
    this.#order.update(agent.group, writes, shadow, address, site);
  }

  #copy(thread: number): OpenCopy {
    const copy = this.#copying.get(thread);
    if (copy === undefined) throw new RangeError(`thread ${thread} has not started a bulk copy`);
    return copy;
  }

  #queueOf(thread: number, groups: BulkGroups): CopyQueue {
    const key = `${groups} ${thread}`;
    const known = this.#queues.get(key) ?? { loose: [], groups: [] };
    this.#queues.set(key, known);
    return known;
  }
}
