/** A read of an execution. It has no value until the write that it reads from is decided. */
export class ReadToken {
  /** The decision that binds it; see `Run`. */
  readonly decision: number;
  /**
   * The value read, as an unsigned number of the same size. `undefined` until the read is bound.
   */
  value: bigint | undefined;

  constructor(decision: number) {
    this.decision = decision;
  }
}

/** The bits that a read has returned. @throws RangeError if it is not bound yet. */
export function bitsOf({ value }: ReadToken): bigint {
  if (value === undefined) throw new RangeError('A read is not bound yet.');
  return value;
}

/**
 * A value that depends on reads that may not be bound yet. An agent may pass it on, and then
 * depends on those reads only by data. `use` (requests.ts) waits until it is known.
 */
export class Deferred<T> {
  /** The reads that it depends on, without duplicates. */
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

/** A value that is known now or later. */
export type Later<T> = T | Deferred<T>;

/**
 * Defers `compute` until all `inputs` are known, or calls it now if they are. `inputs` that are not
 * deferred count as known.
 */
export function after<T>(inputs: readonly unknown[], compute: () => T): Later<T> {
  const reads = new Set<ReadToken>();
  for (const input of inputs) {
    if (!(input instanceof Deferred)) continue;
    for (const read of input.reads) if (read.value === undefined) reads.add(read);
  }
  return reads.size === 0 ? compute() : new Deferred([...reads], compute);
}

/** Returns the value. Throws if it is not known yet, which is a bug of the caller. */
export function known<T>(later: Later<T>): T {
  if (!(later instanceof Deferred)) return later;
  if (!later.known) throw new RangeError('This value is not known yet: use() it first.');
  return later.value;
}
