import type { EpochId } from './epochs.ts';
import type { Published } from './published.ts';
import type { Snapshot } from './snapshot.ts';

/**
 * A strong write that a thread has read, with the part of the order that is missing between them.
 * It explains races.
 */
export interface MissedEdge {
  /** The reason why the write and the read do not synchronize. */
  readonly misses: 'scope' | 'strong' | undefined;
  /** True if the read acquires, or if a later fence of its thread does. */
  acquires: boolean;
  readonly published: readonly Published[];
  readonly reader: number;
  readonly readSite: number;
  readonly writeId: EpochId;
  /** All events before the write, published or not. */
  readonly before: Snapshot;
}

/** The number of synchronizations that a group remembers. */
const MOST = 64;

/** The last synchronizations of a group that did not happen. */
export class MissedEdges {
  readonly #edges: MissedEdge[] = [];

  get all(): readonly MissedEdge[] {
    return this.#edges;
  }

  add(edge: MissedEdge): void {
    if (this.#edges.length === MOST) this.#edges.shift();
    this.#edges.push(edge);
  }

  /** Called when a fence of a thread acquires what it has read before. */
  acquiredBy(thread: number): void {
    for (const edge of this.#edges) if (edge.reader === thread) edge.acquires = true;
  }
}
