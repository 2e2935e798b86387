import { joinedSnapshot, scopeWidth, Shadow, type GroupClocks, type Published } from '@nccl-ts/memory-model';
import { RemoteAccesses, type OnGone } from './remote-accesses.ts';

const CLUSTER = scopeWidth('cluster');

/** A completed or pending use of the barrier of a cluster. */
interface Meeting {
  readonly released: Published[];
  /** What the threads that pass acquire, once one has passed. */
  acquired: Published | undefined;
}

/** What the CTAs of a cluster share for the checker: a number, shared memory and a barrier. */
export class ClusterWatch {
  /** Unique in the world. */
  readonly number: number;
  /** The number of the cluster's shared memory. */
  readonly memory: number;
  readonly shadow: Shadow;
  /** The number of its CTAs that have started and not ended. */
  open = 0;
  readonly #meetings: Meeting[] = [];
  /** By CTA and thread: the number of meetings that it has arrived at. */
  readonly #arrivals = new Map<GroupClocks, Uint32Array>();

  /** The accesses to the shared memory of other CTAs. */
  readonly remote: RemoteAccesses;

  /** `bytes` is the size of the shared memory of one CTA. */
  constructor(number: number, memory: number, bytes: number, onGone: OnGone) {
    this.number = number;
    this.memory = memory;
    this.shadow = new Shadow(memory);
    this.remote = new RemoteAccesses(bytes, onGone);
  }

  /**
   * A thread arrives. It releases what comes before it, or what its fences of cluster scope or wider
   * have released.
   */
  arrives(group: GroupClocks, thread: number, releases: boolean): void {
    const counts = this.#arrivals.get(group) ?? new Uint32Array(group.threads);
    this.#arrivals.set(group, counts);
    const index = counts[thread] ?? 0;
    counts[thread] = index + 1;
    const meeting = (this.#meetings[index] ??= { released: [], acquired: undefined });
    if (releases) {
      meeting.released.push({ snapshot: group.snapshot(thread), width: CLUSTER, by: group.coordinates(thread) });
    } else {
      meeting.released.push(...group.fences(thread).filter(({ width }) => width >= CLUSTER));
    }
  }

  /** A thread has waited, and acquires what all arrivals have released. */
  passes(group: GroupClocks, thread: number): void {
    const meeting = this.#meetings[(this.#arrivals.get(group)?.[thread] ?? 0) - 1];
    if (meeting === undefined) return;
    meeting.acquired ??= together(meeting.released);
    if (meeting.acquired !== undefined) group.acquire(thread, CLUSTER, [meeting.acquired]);
  }
}

/** All are of one cluster, so they reach the same threads. */
function together([first, ...others]: readonly Published[]): Published | undefined {
  if (first === undefined) return undefined;
  const snapshot = joinedSnapshot(first.snapshot, ...others.map((one) => one.snapshot));
  return { snapshot, width: CLUSTER, by: first.by };
}
