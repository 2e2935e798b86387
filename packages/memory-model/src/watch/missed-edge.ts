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
