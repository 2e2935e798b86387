import { at } from '@nccl-ts/core';
import type { Dim3 } from '@nccl-ts/transport';
import type { Finding, FindingBytes } from './finding.ts';
import type { FindingLabel } from '../finding-label.ts';
import { labelKey } from './finding-key.ts';

/**
 * The extent of all sightings of a finding. Each set is independent: not every combination has
 * occurred.
 */
export interface FindingSpread {
  /** In the order of the finding's labels. */
  readonly labels: readonly LabelSpread[];
  /** Absent if the finding has no bytes, or if they are in no window. */
  readonly bytes?: BytesSpread;
}

/** The extent of one of a finding's labels. */
export interface LabelSpread {
  /** Ascending. */
  readonly ranks: readonly number[];
  /** In the order of their linear indices. */
  readonly ctas: readonly Dim3[];
  /** Linear indices, ascending. */
  readonly threads: readonly number[];
}

/**
 * The smallest range around all bytes of the finding's window. Not every byte in it belongs to the
 * finding.
 */
export interface BytesSpread {
  /** The ranks of the copies. Ascending. */
  readonly ranks: readonly number[];
  readonly first: number;
  /** One past the last byte. */
  readonly end: number;
}

/** A participant of a sighting. */
export type Participant = Pick<FindingLabel, 'rank' | 'blockIdx' | 'thread'>;

/**
 * Collects the extent of the sightings of one finding. If there are many, make a finding only of
 * the first one, and add the others by `seeLabel` and `seeBytes`. Their labels have the order of
 * the first.
 */
export class SpreadOf {
  readonly #keys: readonly string[];
  readonly #labels: readonly LabelSets[];
  readonly #window: string | undefined;
  readonly #copies = new Set<number>();
  #first = Infinity;
  #end = 0;

  constructor({ labels, bytes }: Finding) {
    this.#keys = labels.map(labelKey);
    this.#labels = labels.map(() => ({ ranks: new Set(), ctas: new Map(), threads: new Set() }));
    this.#window = windowOf(bytes);
  }

  /** Adds a sighting. Its labels may have another order. */
  add({ labels, bytes }: Finding): void {
    const keys = labels.map(labelKey);
    const swapped = keys.some((key, i) => key !== this.#keys[i]);
    keys.forEach((key, i) => this.seeLabel(swapped ? this.#keys.indexOf(key) : i, at(labels, i)));
    if (bytes !== undefined) this.seeBytes(bytes);
  }

  /** Adds the participant with the label of that index. */
  seeLabel(index: number, { rank, blockIdx, thread }: Participant): void {
    const into = this.#labels[index];
    if (into === undefined) return;
    into.ranks.add(rank);
    if (blockIdx !== undefined) into.ctas.set(ctaKey(blockIdx), blockIdx);
    if (thread !== undefined) into.threads.add(thread);
  }

  /**
   * Adds the bytes of a sighting. Bytes of another window than the first sighting's do not count.
   */
  seeBytes(bytes: FindingBytes): void {
    const { place: meaning } = bytes;
    if (this.#window === undefined || windowOf(bytes) !== this.#window || !('rank' in meaning)) return;
    this.#copies.add(meaning.rank);
    this.#widen(meaning.offset, meaning.offset + bytes.bytes);
  }

  /** Adds earlier sightings of a report. Their labels have the order of `of`. */
  merge(of: Finding, spread: FindingSpread): void {
    const keys = of.labels.map(labelKey);
    const swapped = keys.some((key, i) => key !== this.#keys[i]);
    keys.forEach((key, i) => {
      const { ranks, ctas, threads } = at(spread.labels, i);
      const into = this.#labels[swapped ? this.#keys.indexOf(key) : i];
      for (const rank of ranks) into?.ranks.add(rank);
      for (const cta of ctas) into?.ctas.set(ctaKey(cta), cta);
      for (const thread of threads) into?.threads.add(thread);
    });
    if (spread.bytes === undefined || windowOf(of.bytes) !== this.#window) return;
    for (const rank of spread.bytes.ranks) this.#copies.add(rank);
    this.#widen(spread.bytes.first, spread.bytes.end);
  }

  value(): FindingSpread {
    const labels = this.#labels.map(({ ranks, ctas, threads }) => ({
      ranks: ascending(ranks),
      ctas: [...ctas.values()].toSorted((a, b) => a.z - b.z || a.y - b.y || a.x - b.x),
      threads: ascending(threads),
    }));
    if (this.#copies.size === 0) return { labels };
    return { labels, bytes: { ranks: ascending(this.#copies), first: this.#first, end: this.#end } };
  }

  #widen(first: number, end: number): void {
    this.#first = Math.min(this.#first, first);
    this.#end = Math.max(this.#end, end);
  }
}

interface LabelSets {
  readonly ranks: Set<number>;
  readonly ctas: Map<string, Dim3>;
  readonly threads: Set<number>;
}

function ctaKey({ x, y, z }: Dim3): string {
  return `${x},${y},${z}`;
}

/** Names the window and its part, for bytes inside a window. */
function windowOf(bytes: FindingBytes | undefined): string | undefined {
  if (bytes === undefined || !('window' in bytes.place)) return undefined;
  return `${bytes.place.kind} ${bytes.place.window}`;
}

function ascending(numbers: Iterable<number>): readonly number[] {
  return [...numbers].toSorted((a, b) => a - b);
}
