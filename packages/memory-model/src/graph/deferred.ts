/** One read of an execution: empty until the write that it reads from is decided. */
export class ReadToken {
  /** The decision that binds it; see `Run`. */
  readonly decision: number;
  /** The value read, as an unsigned number of as many bytes; `undefined` until it is bound. */
  value: bigint | undefined;

  constructor(decision: number) {
    this.decision = decision;
  }
}

/** The bits that a read has read. @throws RangeError where it is not bound yet. */
export function bitsOf({ value }: ReadToken): bigint {
  if (value === undefined) throw new RangeError('A read is not bound yet.');
  return value;
}

/**
 * A value that follows from reads which may not be bound yet. An agent that carries it along
 * depends on those reads by data, and on nothing else; `use` (requests.ts) waits until it is known.
 */
export class Deferred<T> {
  /** The reads that it follows from, without repetition. */
  readonly reads: readonly ReadToken[];
  readonly #compute: () => T;
  #result: { readonly value: T } | undefined;

  constructor(reads: readonly ReadToken[], compute: () => T) {
    this.reads = reads;
    this.#compute = compute;
  }

  get known(): boolean {
    return this.#result !== undefined || this.reads.every(({ value }) => value !== undefined);
  }

  /** Computed once, at the first access. The caller has checked that it is `known`. */
  get value(): T {
    this.#result ??= { value: this.#compute() };
    return this.#result.value;
  }
}

/** A value, now or later. */
export type Later<T> = T | Deferred<T>;

/**
 * The result of `compute` when all `inputs` are known: immediately, if they are. `inputs` that are
 * not deferred count as known.
 */
export function after<T>(inputs: readonly unknown[], compute: () => T): Later<T> {
  const reads = new Set<ReadToken>();
  for (const input of inputs) {
    if (!(input instanceof Deferred)) continue;
    for (const read of input.reads) if (read.value === undefined) reads.add(read);
  }
  return reads.size === 0 ? compute() : new Deferred([...reads], compute);
}

/** The value, if it is known; a deferred value that is not known is a mistake of the caller. */
export function known<T>(later: Later<T>): T {
  if (!(later instanceof Deferred)) return later;
  if (!later.known) throw new RangeError('This value is not known yet: use() it first.');
  return later.value;
}
