import { joinScopes, type CheckedScope, type LaunchShape, type LocatedWord, type Site } from '@nccl-ts/findings';

/** The memory of one rank that an access was found in: heap addresses. */
interface OwnMemory {
  readonly low: number;
  readonly high: number;
}

/** Collects the launches of a world, and notes if a rank has reached another. */
export class LaunchScope {
  readonly #locate: (address: number) => LocatedWord | undefined;
  readonly #launches = new Map<string, LaunchShape>();
  /** By rank: the memory of its own that it accessed last. */
  readonly #own: (OwnMemory | undefined)[] = [];
  /** The numbers of the source locations at which threads wait for others. */
  readonly #waits = new Set<number>();
  #communicates = false;

  constructor(locate: (address: number) => LocatedWord | undefined) {
    this.#locate = locate;
  }

  get value(): CheckedScope {
    return joinScopes([{ launches: [...this.#launches.values()], communicates: this.#communicates }]);
  }

  add(shape: LaunchShape): void {
    this.#launches.set(`${shape.ctas} ${shape.threads}`, shape);
  }

  /** Adds the source locations of a kernel, the first of which has the number `base`. */
  addSites(base: number, sites: readonly Site[]): void {
    sites.forEach(({ waits }, i) => {
      if (waits === true) this.waitsAt(base + i);
    });
  }

  /** Called with the number of a source location at which threads wait for others. */
  waitsAt(site: number): void {
    this.#waits.add(site);
  }

  /** True if a rank has reached a peer, or a wait. */
  get doesCommunicate(): boolean {
    return this.#communicates;
  }

  /** Called when a rank has reached a peer, or a wait for a word of memory. */
  communicates(): void {
    this.#communicates = true;
  }

  /** Called when a rank accesses a heap address, at the source location of this number. */
  accesses(rank: number, address: number, site?: number): void {
    if (this.#communicates) return;
    if (site !== undefined && this.#waits.has(site)) {
      this.#communicates = true;
      return;
    }
    const own = this.#own[rank];
    if (own !== undefined && address >= own.low && address < own.high) return;
    const word = this.#locate(address);
    if (word === undefined) return;
    if (word.rank !== rank) this.#communicates = true;
    const low = address - word.offset;
    this.#own[rank] = { low, high: low + word.window.bytes };
  }
}
