/** A word that a stuck condition reads. */
export interface WaitedWord {
  readonly address: number;
  readonly region: number;
  readonly space: 'global' | 'shared' | 'local';
  /** The type of the load, as `typeName` prints it. */
  readonly type: string;
  readonly value: number | bigint | boolean;
}

/** Threads of one CTA that wait at one source location. */
export interface Waiting {
  readonly site: number;
  /** `spin`: the threads repeat a loop that is not a wait. */
  readonly kind: 'wait' | 'waitAll' | 'sync' | 'collective' | 'spin';
  /** Linear indices, ascending. */
  readonly threads: readonly number[];
  /** For `waitAll`: the indices whose condition was never true. */
  readonly indices?: readonly number[];
  /** The words of the (first failing) condition. */
  readonly words: readonly WaitedWord[];
  /**
   * The awaited value, as text: `>= 5`, `4 (rolling, 32 bits)`, `the other 31 threads of the warp`.
   */
  readonly needed: string;
}
