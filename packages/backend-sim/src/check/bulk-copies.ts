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
 * The bulk copies of one CTA. Each behaves like a separate thread that runs beside the thread that
 * started it.
 */
export class BulkCopies implements BulkWatch {
  readonly #order: HappensBefore;
  readonly #group: GroupClocks;
  readonly #open: () => BulkAgent;
  #agent: BulkAgent | undefined;
  #count = 0;
  /** True if there was a copy. Most kernels have none, and every access asks. */
  #isUsed = false;
  /** By thread. */
  readonly #copying = new Map<number, OpenCopy>();
  readonly #queues = new Map<string, CopyQueue>();

  constructor(order: HappensBefore, group: GroupClocks, open: () => BulkAgent) {
    this.#order = order;
    this.#group = group;
    this.#open = open;
  }

  begins(thread: number): void {
    const { group, begins } = this.#agentOf();
    const reads = (2 * this.#count++) % BULK_THREADS;
    const before = this.#group.snapshot(thread);
    group.stamp++;
    begins(thread);
    for (const one of [reads, reads + 1]) group.join(one, before);
    this.#isUsed = true;
    this.#copying.set(thread, { reads, writes: reads + 1, hasRead: undefined });
  }

  copied(thread: number): void {
    const { group } = this.#agentOf();
    const copy = this.#copy(thread);
    copy.hasRead = group.snapshot(copy.reads);
    group.join(copy.writes, copy.hasRead);
    // The end of a copy is a proxy fence for its accesses.
    group.fenceProxy(copy.writes, true);
  }

  ends(thread: number, groups: BulkGroups | undefined): void {
    const { group } = this.#agentOf();
    const { writes, hasRead } = this.#copy(thread);
    this.#copying.delete(thread);
    const isOver = group.snapshot(writes);
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

  isCopying(thread: number): boolean {
    return this.#isUsed && this.#copying.has(thread);
  }

  load(shadow: Shadow, thread: number, address: number, bytes: number, site: number): void {
    this.#order.accesses.read(this.#agentOf().group, this.#copy(thread).reads, shadow, address, bytes, site);
  }

  store(shadow: Shadow, thread: number, address: number, bytes: number, site: number): void {
    this.#order.accesses.write(this.#agentOf().group, this.#copy(thread).writes, shadow, address, bytes, site);
  }

  loadStrong(shadow: Shadow, thread: number, address: number, site: number): void {
    this.#order.load(this.#agentOf().group, this.#copy(thread).writes, shadow, address, site);
  }

  update(shadow: Shadow, thread: number, address: number, site: number): void {
    this.#order.update(this.#agentOf().group, this.#copy(thread).writes, shadow, address, site);
  }

  #agentOf(): BulkAgent {
    return (this.#agent ??= this.#open());
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
