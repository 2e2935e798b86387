import type { WaitedWord } from '@nccl-ts/findings';
import type { Request } from '../network/request.ts';

/** A change of a word by the network, and the word's value after it. */
interface NetworkWrite {
  readonly request: Request;
  readonly after: bigint;
  readonly covers: Covers;
}

/**
 * True if a strong signal covers an earlier request of its queue in every schedule, and not only by
 * chance.
 */
export type Covers = (earlier: Request) => boolean;

const coversAll: Covers = () => true;

/**
 * Operations that were not waited for yet. They include requests whose completion no thread has
 * seen, by a flush, a counter or a covering signal. They also include changes of signals beyond the
 * largest value that was waited for or read.
 */
export class Outstanding {
  readonly #valueAt: (address: number) => bigint;
  /** By the queue's word, then by number. */
  readonly #requests = new Map<number, Map<number, Request>>();
  /** By the network's word: unseen changes, oldest first. */
  readonly #changes = new Map<number, NetworkWrite[]>();
  /** The awaited values of u32 words, such as those of barriers. */
  readonly #epochs = new Map<number, number>();
  /**
   * Requests whose completion was seen only by a flush, or by a signal that covers them by chance.
   */
  readonly #passed = new Set<Request>();
  /** By the word of a signal: the requests that waits for it have shown to be complete. */
  readonly #shown = new Map<number, Set<Request>>();
  /** Words whose wait has timed out. */
  readonly #abandoned = new Set<number>();

  /** `valueAt`: the u64 at a heap address. */
  constructor(valueAt: (address: number) => bigint) {
    this.#valueAt = valueAt;
  }

  posted(request: Request): void {
    // A signal of 0 changes nothing that a thread could wait for.
    if (request.kind === 'signal' && request.signal?.amount === 0n) return;
    const { completed } = request.domain;
    const known = this.#requests.get(completed);
    if (known === undefined) this.#requests.set(completed, new Map([[request.number, request]]));
    else known.set(request.number, request);
  }

  /**
   * Returns the requests whose completion is known only by flushes, or by signals that cover them
   * by chance. Both cover all earlier requests of any thread.
   */
  get passed(): ReadonlySet<Request> {
    return new Set([...this.#passed, ...[...this.#shown.keys()].flatMap((address) => this.#doubtful(address))]);
  }

  /** Called before the word at `address` grows by `amount` for the request. */
  changes(request: Request, address: number, amount: bigint, covers: Covers = coversAll): void {
    const after = BigInt.asUintN(64, this.#valueAt(address) + amount);
    const known = this.#changes.get(address);
    if (known === undefined) this.#changes.set(address, [{ request, after, covers }]);
    else known.push({ request, after, covers });
  }

  /** Called when the word was read outside a wait. Everything in it is then known. */
  reads(address: number): void {
    const changes = this.#changes.get(address);
    if (changes !== undefined && changes.length > 0) this.#learn(address, changes, this.#valueAt(address));
  }

  /** Called when a wait has ended. The awaited value is the word's value less `excess`. */
  waited(words: readonly WaitedWord[], excess: bigint): void {
    for (const { address, type, value } of words) {
      if (type === 'u32') this.#epochs.set(address, Number(BigInt.asUintN(32, BigInt(value) - excess)));
      const changes = this.#changes.get(address);
      if (changes !== undefined && changes.length > 0) this.#learn(address, changes, BigInt(value) - excess);
    }
  }

  /** Called when a wait has timed out. */
  gaveUp(words: readonly WaitedWord[]): void {
    for (const { address } of words) {
      this.#abandoned.add(address);
      this.reads(address);
    }
  }

  /** True if a wait for a word in `[low, high)` has timed out. */
  isAbandoned(low: number, high: number): boolean {
    return [...this.#abandoned].some((address) => address >= low && address < high);
  }

  /** Called when the word was set to 0. */
  reset(address: number): void {
    this.#changes.delete(address);
  }

  /** Returns the awaited value of the u32 at `address`. */
  epoch(address: number): number {
    return this.#epochs.get(address) ?? 0;
  }

  /** Returns requests whose completion is unknown, of queues with words in `[low, high)`. */
  requests(low: number, high: number): readonly Request[] {
    return [...this.#requests].flatMap(([word, known]) => (word >= low && word < high ? [...known.values()] : []));
  }

  /** Returns those that read or write in `[low, high)`. */
  touching(low: number, high: number): readonly Request[] {
    const meets = (at: number, bytes: number): boolean => bytes > 0 && at < high && at + bytes > low;
    return [...this.#requests.values()].flatMap((known) =>
      [...known.values()].filter(
        ({ kind, from, to, bytes }) => (kind !== 'putValue' && meets(from, bytes)) || meets(to, bytes),
      ),
    );
  }

  /**
   * Returns requests whose signals in `[low, high)` exceed the awaited value, and whose completion
   * is known in another way.
   */
  signals(low: number, high: number): readonly Request[] {
    return [...this.#changes].flatMap(([address, changes]) =>
      address < low || address >= high
        ? []
        : changes.flatMap(({ request }) =>
            request.signal?.address === address && !this.#isOpen(request) ? [request] : [],
          ),
    );
  }

  /** Stops reporting the request. */
  drop({ domain, number }: Request): void {
    this.#requests.get(domain.completed)?.delete(number);
  }

  /** Forgets the words in `[low, high)`, and the requests of their queues. */
  forget(low: number, high: number): void {
    // Requests that were covered by chance are kept, and reported at the end.
    for (const address of this.#shown.keys())
      if (address >= low && address < high) for (const one of this.#doubtful(address)) this.#passed.add(one);
    for (const known of [this.#requests, this.#changes, this.#shown, this.#epochs, this.#abandoned]) {
      for (const address of known.keys()) if (address >= low && address < high) known.delete(address);
    }
  }

  #isOpen({ domain, number }: Request): boolean {
    return this.#requests.get(domain.completed)?.has(number) ?? false;
  }

  /** Records that a thread knows that the word has reached `value`. */
  #learn(address: number, changes: NetworkWrite[], value: bigint): void {
    // Words wrap around.
    const past = changes.findIndex(({ after }) => BigInt.asIntN(64, after - value) > 0n);
    for (const { request, covers } of changes.splice(0, past === -1 ? changes.length : past)) {
      if (address !== request.domain.completed) this.#passed.delete(request);
      else if (this.#isOpen(request)) this.#passed.add(request);
      if (request.signal?.address === address) this.#shows(address, request);
      if (request.signal?.address === address && request.signal.strong) this.#done(request, covers);
      else this.drop(request);
    }
  }

  #shows(address: number, request: Request): void {
    const known = this.#shown.get(address);
    if (known === undefined) this.#shown.set(address, new Set([request]));
    else known.add(request);
  }

  /**
   * The requests that waits for a word have shown, if it has grown beyond what was waited for:
   * another signal might have been enough for the waits.
   */
  #doubtful(address: number): readonly Request[] {
    const isLarger = (this.#changes.get(address) ?? []).length > 0;
    return isLarger ? [...(this.#shown.get(address) ?? [])] : [];
  }

  /** Marks the request as done, and all earlier ones in its queue. */
  #done({ domain, number }: Request, covers: Covers): void {
    for (const one of this.#passed) {
      if (one.domain === domain && one.number <= number && one.kind !== 'get' && covers(one)) this.#passed.delete(one);
    }
    const known = this.#requests.get(domain.completed);
    if (known === undefined) return;
    for (const [each, one] of known) {
      if (each > number) return;
      // Signals do not cover gets.
      if (one.kind === 'get') continue;
      known.delete(each);
      if (!covers(one)) this.#passed.add(one);
    }
  }
}
