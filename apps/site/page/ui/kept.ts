/** A state that another one has replaced. */
export interface Earlier<State> {
  readonly at: number;
  readonly title: string;
  readonly state: State;
}

interface Stored<State> {
  readonly last?: State;
  readonly earlier: readonly Earlier<State>[];
}

/** The most replaced states that a page keeps. */
const MOST = 12;
/** The pause after a change before it is stored, in ms. */
const PAUSE = 250;

/**
 * Keeps what the reader has written on a page of the site: for this tab, so that a reload changes
 * nothing, and for the browser, so that the next visit begins where the last one ended. A browser
 * that stores nothing keeps nothing, and the page works all the same.
 */
export class Kept<State> {
  readonly #key: string;
  readonly #isState: (value: unknown) => value is State;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pending: (() => State) | undefined;

  constructor(page: string, isState: (value: unknown) => value is State) {
    this.#key = `nccl-ts ${page}`;
    this.#isState = isState;
    addEventListener('pagehide', () => this.#flush());
    document.addEventListener('visibilitychange', () => this.#flush());
  }

  /** The state of this tab, if the reader has reloaded this address or stepped back to it. */
  get resumed(): State | undefined {
    const [entry] = performance.getEntriesByType('navigation');
    const type = entry instanceof PerformanceNavigationTiming ? entry.type : 'navigate';
    if (type === 'navigate') return undefined;
    const found = read(sessionStorage, this.#key);
    if (!isObject(found) || found['address'] !== location.href) return undefined;
    const { state } = found;
    return this.#isState(state) ? state : undefined;
  }

  /** The last state of the page in this browser. */
  get last(): State | undefined {
    return this.#stored.last;
  }

  /** The replaced states, the newest first. */
  get earlier(): readonly Earlier<State>[] {
    return this.#stored.earlier;
  }

  /** Stores the state after a short pause, or when the reader leaves the page. */
  keep(state: () => State): void {
    this.#pending = state;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), PAUSE);
  }

  /** Puts a state aside that another one replaces. */
  putAside(state: State, title: string): void {
    const { earlier } = this.#stored;
    const same = JSON.stringify(state);
    const others = earlier.filter((one) => JSON.stringify(one.state) !== same);
    this.#store({ earlier: [{ at: Date.now(), title, state }, ...others].slice(0, MOST) });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined) return;
    const state = pending();
    write(sessionStorage, this.#key, { address: location.href, state });
    this.#store({ last: state });
  }

  get #stored(): Stored<State> {
    const found = read(localStorage, this.#key);
    if (!isObject(found)) return { earlier: [] };
    const { last, earlier } = found;
    const all: readonly unknown[] = Array.isArray(earlier) ? earlier : [];
    return {
      ...(this.#isState(last) ? { last } : {}),
      earlier: all.flatMap((one) => {
        if (!isObject(one)) return [];
        const { at, title, state } = one;
        return typeof at === 'number' && typeof title === 'string' && this.#isState(state)
          ? [{ at, title, state }]
          : [];
      }),
    };
  }

  #store(change: Partial<Stored<State>>): void {
    write(localStorage, this.#key, { ...this.#stored, ...change });
  }
}

/** True for an object whose members a reader of stored values has yet to check. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function read(storage: Storage, key: string): unknown {
  try {
    const parsed: unknown = JSON.parse(storage.getItem(key) ?? 'null');
    return parsed;
  } catch {
    return undefined;
  }
}

function write(storage: Storage, key: string, value: unknown): void {
  try {
    storage.setItem(key, JSON.stringify(value));
  } catch {
    // The storage is full, or the reader has turned it off.
  }
}
