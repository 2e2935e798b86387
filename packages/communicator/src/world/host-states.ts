import { createMacrotaskQueue, type MacrotaskQueue } from '@nccl-ts/core';
import type { HostState } from '@nccl-ts/transport';

interface BlockedOperation {
  readonly what: string;
  /** The operations of one queue end in order. */
  readonly queue: object;
}

interface HostProgress {
  phase: 'running' | 'returned' | 'threw' | 'closed';
  /** The operations for which the rank's host program waits, in the order of the calls. */
  readonly blocked: Set<BlockedOperation>;
  /** True if an operation has ended while one of those was pending. */
  hasOvertaken: boolean;
  /** The number of operations that end without another rank: allocations, copies, compilations. */
  moving: number;
  /**
   * The number of such operations that have just ended while the rank waits for others: see `move`.
   */
  lingering: number;
  reported: HostState;
}

/**
 * The state of each local rank's host program, for messages and for the backend, which uses it to
 * detect deadlocks.
 *
 * A rank is `waiting` while it waits for other ranks and has no operation of its own in progress.
 * If a rank counted as waiting during a copy, a backend could report a deadlock that the end of the
 * copy would resolve.
 */
export class HostStates {
  readonly #ranks = new Map<number, HostProgress>();
  readonly #report: (rank: number, state: HostState) => void;
  readonly #chooses: (rank: number) => void;
  readonly #queue: MacrotaskQueue = createMacrotaskQueue();
  /** The ranks that linger until the queue's next task. */
  readonly #lingering: { readonly rank: number; readonly state: HostProgress }[] = [];

  /** `chooses`: see `BackendWorld.hostChooses`. */
  constructor(
    ranks: readonly number[],
    report: (rank: number, state: HostState) => void,
    chooses: (rank: number) => void,
  ) {
    for (const rank of ranks) {
      this.#ranks.set(rank, {
        phase: 'running',
        blocked: new Set(),
        hasOvertaken: false,
        moving: 0,
        lingering: 0,
        reported: 'running',
      });
    }
    this.#report = report;
    this.#chooses = chooses;
  }

  /**
   * Called when the rank's host program runs: its callback was called, or a run has ended and the
   * owner of the world has control again.
   */
  start(rank: number): void {
    this.#setPhase(rank, 'running');
  }

  /** Called when the rank's host program has ended, and starts no further operation. */
  finish(rank: number, how: 'returned' | 'threw' | 'closed'): void {
    this.#setPhase(rank, how);
  }

  /** Called when the rank's host program begins an operation. */
  begin(rank: number): void {
    if (this.#of(rank).hasOvertaken) this.#chooses(rank);
  }

  /** Called when an operation of `queue` has ended. Others may be pending. */
  end(rank: number, queue: object): void {
    const state = this.#of(rank);
    const { blocked } = state;
    state.hasOvertaken ||= [...blocked].some((one) => one.queue !== queue);
    if (blocked.size === 0) state.hasOvertaken = false;
  }

  /**
   * Records that the rank starts to wait for other ranks. `queue` identifies the operations that
   * end in the same order as they begin.
   *
   * @returns a function that ends the wait; a second call does nothing
   */
  block(rank: number, what: string, queue: object): () => void {
    const state = this.#of(rank);
    const wait = { what, queue };
    state.blocked.add(wait);
    this.#update(rank, state);
    return () => {
      if (!state.blocked.delete(wait)) return;
      this.end(rank, queue);
      this.#update(rank, state);
    };
  }

  /**
   * Records that the rank starts an operation that ends without other ranks.
   *
   * @returns a function that ends it; a second call does nothing
   */
  move(rank: number): () => void {
    const state = this.#of(rank);
    state.moving++;
    this.#update(rank, state);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      state.moving--;
      if (state.blocked.size > 0) this.#linger(rank, state);
      else this.#update(rank, state);
    };
  }

  /**
   * The rank also waits for other ranks. The host program first runs the code after the ended
   * operation, any number of microtasks later. Only then is it known if the rank does nothing but
   * wait.
   */
  #linger(rank: number, state: HostProgress): void {
    state.lingering++;
    this.#lingering.push({ rank, state });
    if (this.#lingering.length === 1) this.#queue.post(this.#settle);
  }

  readonly #settle = (): void => {
    for (const { rank, state } of this.#lingering.splice(0)) {
      state.lingering--;
      this.#update(rank, state);
    }
  };

  /** Ends all reports. */
  close(): void {
    this.#queue.close();
  }

  /** True if the rank can no longer reach a rendezvous. */
  isOver(rank: number): boolean {
    return this.#of(rank).phase !== 'running';
  }

  /** True if the rank has an operation in progress. */
  isBusy(rank: number): boolean {
    const state = this.#of(rank);
    return state.moving > 0 || state.blocked.size > 0;
  }

  /** Returns the state of the rank, as text that follows its name: `waits in synchronize`. */
  describe(rank: number): string {
    const state = this.#of(rank);
    if (state.phase === 'returned') return 'has returned';
    if (state.phase === 'threw') return 'has failed';
    if (state.phase === 'closed') return 'has closed its communicator';
    const waits = [...new Set([...state.blocked].map((wait) => wait.what))];
    if (waits.length > 0) return `waits in ${waits.join(' and ')}`;
    return state.moving > 0
      ? 'is inside an operation of this world'
      : 'runs, or waits for something outside of this world';
  }

  #of(rank: number): HostProgress {
    const state = this.#ranks.get(rank);
    if (state === undefined) throw new RangeError(`Rank ${rank} is not a rank of this process.`);
    return state;
  }

  #setPhase(rank: number, phase: HostProgress['phase']): void {
    const state = this.#of(rank);
    // A closed communicator stays closed, whatever its callback does afterwards.
    if (state.phase !== 'closed') state.phase = phase;
    this.#update(rank, state);
  }

  #update(rank: number, state: HostProgress): void {
    const now = stateOf(state);
    if (now === state.reported) return;
    state.reported = now;
    this.#report(rank, now);
  }
}

function stateOf(state: HostProgress): HostState {
  if (state.moving + state.lingering > 0) return 'running';
  if (state.blocked.size > 0) return 'waiting';
  return state.phase === 'running' ? 'running' : 'done';
}
