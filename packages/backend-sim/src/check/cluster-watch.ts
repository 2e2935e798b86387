import { at } from '@nccl-ts/core';
import { joinedSnapshot, scopeWidth, Shadow, type GroupClocks, type Snapshot } from '@nccl-ts/memory-model';
import { RemoteAccesses, type RemoteListener } from './remote-accesses.ts';

const CLUSTER = scopeWidth('cluster');

/** A completed or pending use of the barrier of a cluster. */
interface Meeting {
  readonly released: Snapshot[];
  /** The events that threads acquire when they pass, once one has passed. */
  acquired: Snapshot | undefined;
}

/** The arrivals of one thread. */
interface Arrivals {
  times: number;
  /** The events before the last one, if it releases. */
  released?: Snapshot | undefined;
}

/** The CTAs of a cluster for the checker: their common number, shared memory and barrier. */
export class ClusterWatch {
  /** Unique in the world. */
  readonly number: number;
  /** The number of the cluster's shared memory. */
  readonly memory: number;
  readonly shadow: Shadow;
  /** The number of its CTAs that have started and not ended. */
  open = 0;
  readonly #meetings: Meeting[] = [];
  /** By CTA and thread. */
  readonly #arrivals = new Map<GroupClocks, readonly Arrivals[]>();

  /** The accesses to the shared memory of other CTAs. */
  readonly remote: RemoteAccesses;

  /** `bytes` is the size of the shared memory of one CTA. */
  constructor(number: number, memory: number, bytes: number, listener: RemoteListener) {
    this.number = number;
    this.memory = memory;
    this.shadow = new Shadow(memory);
    this.remote = new RemoteAccesses(bytes, listener);
  }

  /**
   * A thread arrives. It releases what comes before it, or what its fences of cluster scope or
   * wider have released.
   */
  arrives(group: GroupClocks, thread: number, releases: boolean): void {
    const own = this.#arrivals.get(group) ?? Array.from({ length: group.threads }, (): Arrivals => ({ times: 0 }));
    this.#arrivals.set(group, own);
    const arrival = at(own, thread);
    const meeting = (this.#meetings[arrival.times++] ??= { released: [], acquired: undefined });
    arrival.released = releases ? group.snapshot(thread) : undefined;
    if (arrival.released !== undefined) {
      meeting.released.push(arrival.released);
      return;
    }
    for (const { width, snapshot } of group.fences(thread)) if (width >= CLUSTER) meeting.released.push(snapshot);
  }

  /** A thread has waited, and acquires what all arrivals have released. */
  passes(group: GroupClocks, thread: number): void {
    this.remote.met(group);
    const arrival = this.#arrivals.get(group)?.[thread];
    const meeting = arrival === undefined ? undefined : this.#meetings[arrival.times - 1];
    if (arrival === undefined || meeting === undefined) return;
    meeting.acquired ??= together(meeting.released);
    const { acquired } = meeting;
    if (acquired === undefined) return;
    if (arrival.released === undefined) group.join(thread, acquired);
    else group.adopt(thread, acquired, arrival.released);
  }
}

/** All are of one cluster, so they reach the same threads. */
function together([first, ...others]: readonly Snapshot[]): Snapshot | undefined {
  if (first === undefined) return undefined;
  const all = joinedSnapshot(first, ...others);
  // All threads that pass share it.
  for (const clock of [all.base, all.bridged, all.fabric]) if (clock !== undefined) clock.shared = true;
  return all;
}
