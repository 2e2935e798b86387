/** A rank's request, by the names that messages use: the values that must agree among the ranks. */
export type RequestSummary = Readonly<Record<string, string>>;

/**
 * One collective call: the ranks that arrived, their contributions, and the outcome. It is a
 * meeting of any kind: see {@link Meeting}.
 */
export interface AnyMeeting {
  /** The call's public name, such as `allocWindow`. */
  readonly name: string;
  /** The index of the call among the world's collective calls, from 0. */
  readonly position: number;
  /** The request of each rank that arrived. */
  readonly requests: Map<number, RequestSummary>;
  readonly failure: Error | undefined;
  /** Rejects all current and later waits. The first failure is kept. */
  fail(error: Error): void;
}

/** A meeting to which each rank brings a `C`, and from which all get one `R`. */
export class Meeting<C, R> implements AnyMeeting {
  readonly name: string;
  readonly position: number;
  readonly requests: Map<number, RequestSummary> = new Map();
  /** Settles once, for all ranks. */
  readonly outcome: Promise<R>;
  readonly #contributions = new Map<number, C>();
  readonly #waits: (() => void)[] = [];
  #failure: Error | undefined;
  #resolve: (result: R) => void = () => undefined;
  #reject: (error: Error) => void = () => undefined;

  constructor(name: string, position: number) {
    this.name = name;
    this.position = position;
    this.outcome = new Promise<R>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // A meeting may fail before the rank that is entering it has started to wait.
    this.outcome.catch(() => undefined);
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  bring(rank: number, contribution: C): void {
    this.#contributions.set(rank, contribution);
  }

  /** Returns the contributions of the ranks, in ascending order of rank. */
  contributions(): readonly C[] {
    return [...this.#contributions].sort(([a], [b]) => a - b).map(([, contribution]) => contribution);
  }

  /** Records that a rank starts to wait for the others. `leave` ends the wait. */
  wait(leave: () => void): void {
    this.#waits.push(leave);
  }

  /** Ends all waits. */
  endWaits(): void {
    for (const leave of this.#waits.splice(0)) leave();
  }

  succeed(result: R): void {
    this.#resolve(result);
  }

  fail(error: Error): void {
    this.#failure ??= error;
    this.#contributions.clear();
    this.#reject(this.#failure);
  }
}
