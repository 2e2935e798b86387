/** What a rank asked for, by the names that messages use: what must agree among the ranks. */
export type Asked = Readonly<Record<string, string>>;

/**
 * One collective call: who came, with what, and what became of it. Of whichever kind: see
 * {@link Meeting}.
 */
export interface AnyMeeting {
  /** The call, as the user knows it: `allocWindow`. */
  readonly name: string;
  /** Which of the world's collective calls it is, from 0. */
  readonly position: number;
  /** What each rank that came asked for. */
  readonly asked: Map<number, Asked>;
  readonly failure: Error | undefined;
  /** Rejects all that wait and all that come later. The first failure stands. */
  fail(error: Error): void;
}

/** A meeting whose ranks bring a `C` each and get one `R` for all. */
export class Meeting<C, R> implements AnyMeeting {
  readonly name: string;
  readonly position: number;
  readonly asked: Map<number, Asked> = new Map();
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
    // A meeting may fail before the rank that is just entering it has begun to wait.
    this.outcome.catch(() => undefined);
  }

  get failure(): Error | undefined {
    return this.#failure;
  }

  bring(rank: number, contribution: C): void {
    this.#contributions.set(rank, contribution);
  }

  /** What the ranks brought, by ascending rank. */
  contributions(): readonly C[] {
    return [...this.#contributions].sort(([a], [b]) => a - b).map(([, contribution]) => contribution);
  }

  /** A rank waits for the others; `leave` ends that. */
  wait(leave: () => void): void {
    this.#waits.push(leave);
  }

  /** Nobody waits for others any more. */
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
