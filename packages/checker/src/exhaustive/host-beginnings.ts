import type { ByteRange, Run } from '@nccl-ts/memory-model';
import { isShared } from './cta-state.ts';
import { hostWords, wordOf } from './host-words.ts';

/**
 * Bytes that a rank's host has copied, and that are not ordered before the actions of other ranks.
 */
interface Copied {
  readonly rank: number;
  readonly at: number;
  readonly bytes: number;
}

/** Receives the writes of hosts. */
export interface HostWrites {
  /** The bytes are in memory from the start. */
  readonly begin: (at: number, bytes: Uint8Array) => void;
  /** The host writes a word, concurrently with all others. */
  readonly write: (rank: number, at: number, bytes: Uint8Array, site: string) => void;
}

/**
 * Copies of hosts before the first launch. If all hosts synchronize afterwards, the copies come
 * before all actions of other ranks. They are then part of the initial memory, and cost nothing.
 * Otherwise a peer's kernel may come first, so each word that another rank accesses is written, or
 * read, by an event of the host. Other ranks access only few words. An execution shows which ones.
 * If it shows a new one, all executions must be explored again.
 */
export class HostBeginnings {
  readonly #crossed: Set<number>;
  readonly #writes: HostWrites;
  /** Copies since the last synchronization of the hosts, until something was launched. */
  readonly #unmet: Copied[] = [];
  /** Writes to crossed words since the last synchronization of the hosts, oldest first. */
  readonly #held: {
    readonly rank: number;
    readonly at: number;
    readonly bytes: Uint8Array;
    readonly site: string;
  }[] = [];
  #started = false;

  /**
   * `crossed` has the words that other ranks are known to access. It is kept between executions.
   */
  constructor(crossed: Set<number>, writes: HostWrites) {
    this.#crossed = crossed;
    this.#writes = writes;
  }

  /** `site`: the call of the host program. */
  write(rank: number, at: number, bytes: Uint8Array, site: string): void {
    const part = (range: ByteRange): Uint8Array => bytes.slice(range.at - at, range.at - at + range.bytes);
    if (this.#started) {
      for (const word of hostWords(at, bytes.length)) this.#writes.write(rank, word.at, part(word), site);
      return;
    }
    this.#unmet.push({ rank, at, bytes: bytes.length });
    let next = at;
    for (const word of this.#crossedIn(at, bytes.length)) {
      this.#writes.begin(next, part({ at: next, bytes: word.at - next }));
      this.#held.push({ rank, at: word.at, bytes: part(word), site });
      next = word.at + word.bytes;
    }
    this.#writes.begin(next, part({ at: next, bytes: at + bytes.length - next }));
  }

  /** Returns the words that a host must read by events. The others have their initial content. */
  read(rank: number, at: number, bytes: number): readonly ByteRange[] {
    if (this.#started) return hostWords(at, bytes);
    this.#unmet.push({ rank, at, bytes });
    const words = this.#crossedIn(at, bytes);
    if (words.length > 0) this.start();
    return words;
  }

  /** Called when all hosts synchronize: their earlier actions come before all later ones. */
  meet(): void {
    if (this.#started) return;
    for (const { at, bytes } of this.#held) this.#writes.begin(at, bytes);
    this.#held.length = 0;
    this.#unmet.length = 0;
  }

  /** Called when something is launched. From then on every copy by a host is an event. */
  start(): void {
    if (this.#started) return;
    this.#started = true;
    for (const { rank, at, bytes, site } of this.#held) this.#writes.write(rank, at, bytes, site);
    this.#held.length = 0;
  }

  /** True if an execution shows that other ranks access further words, which are then known. */
  learn({ graph }: Run): boolean {
    const before = this.#crossed.size;
    for (const { isMemory, live, at, bytes, coordinates } of graph.events) {
      if (!isMemory || !live || isShared(at)) continue;
      for (const copied of this.#unmet) {
        const first = Math.max(at, copied.at);
        const end = Math.min(at + bytes, copied.at + copied.bytes);
        if (copied.rank === coordinates.rank || first >= end) continue;
        for (const word of hostWords(first, end - first)) this.#crossed.add(wordOf(word.at));
      }
    }
    return this.#crossed.size > before;
  }

  /** Sorted by address. */
  #crossedIn(at: number, bytes: number): readonly ByteRange[] {
    if (this.#crossed.size === 0) return [];
    return hostWords(at, bytes).filter((word) => this.#crossed.has(wordOf(word.at)));
  }
}
