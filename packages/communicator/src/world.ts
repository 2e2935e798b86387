import type { ApiVersionOptions } from '@nccl-ts/devcomm';
import { takeOptions } from '@nccl-ts/core';
import type { Topology } from '@nccl-ts/topology';
import type { Backend } from '@nccl-ts/transport';
import { Communicator } from './communicator.ts';
import { ranksText, shown } from './describe.ts';
import { aborted, invalidArgument, invalidUsage, throwIfAborted } from './errors.ts';
import { captureOn, type Graph } from './stream/graph.ts';
import { abortWorld, checkBackend, closeWorld, openWorld, type OpenedWorld } from './opened-world.ts';
import type { HostCftOptions } from './world/host-cft-mode.ts';
import { checkPrototypes } from './launch/check-prototypes.ts';
import { signalOf } from './stream/signal-of.ts';
import type { RankState } from './rank/rank-state.ts';
import type { WorldState } from './rank/world-state.ts';

export interface OpenOptions extends ApiVersionOptions, HostCftOptions {
  /** The backend that runs the kernels and determines the number of ranks. */
  readonly backend: Backend;
  /** Gives up opening. It has no effect afterwards. */
  readonly signal?: AbortSignal;
}

export interface RunOptions {
  /** Aborts the world: see {@link World.run}. */
  readonly signal?: AbortSignal;
}

interface Rank {
  readonly state: RankState;
  readonly communicator: Communicator;
}

/**
 * The ranks of one process, each with a communicator.
 *
 * @see ncclCommInitAll
 */
export class World implements AsyncDisposable {
  readonly #opened: OpenedWorld;
  readonly #ranks: ReadonlyMap<number, Rank>;
  /** Informs the current run why the world was aborted. */
  #failRun: ((cause: unknown) => void) | undefined;
  /** The number of callbacks of the current run that have returned. */
  #returned = 0;
  #closing: Promise<void> | undefined;

  private constructor(opened: OpenedWorld) {
    this.#opened = opened;
    this.#ranks = new Map(opened.ranks.map((state) => [state.rank, { state, communicator: new Communicator(state) }]));
  }

  get #state(): WorldState {
    return this.#opened.state;
  }

  /**
   * Opens a world on a backend. The caller must close it:
   * `await using world = await World.open(...)`.
   *
   * @throws NcclError `NCCLTS_ABORTED` if the signal is already aborted; the backend's error if it
   *   cannot open a world.
   * @see ncclCommInitAll
   */
  static async open(options: OpenOptions): Promise<World> {
    const what = 'World.open';
    checkPrototypes(what);
    const taken = takeOptions(what, options, { backend: true, hostCftMode: true, signal: true, versionCheck: true });
    const { backend, hostCftMode, versionCheck } = taken;
    checkBackend(backend, what);
    const signal = signalOf(taken.signal, what);
    return new World(
      await openWorld({ backend, what, signal, hostCftMode, ...(versionCheck === undefined ? {} : { versionCheck }) }),
    );
  }

  /** Returns the number of ranks of the whole world, including those of other processes. */
  get nRanks(): number {
    return this.topology.nRanks;
  }

  get topology(): Topology {
    return this.#state.device.topology;
  }

  /** Returns the ranks of this process, in ascending order. */
  get localRanks(): readonly number[] {
    return [...this.#ranks.keys()];
  }

  /**
   * Returns the communicator of a rank of this process, for use outside `run`.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if this process has no such rank.
   */
  comm(rank: number): Communicator {
    const found = this.#ranks.get(rank);
    if (found === undefined) {
      throw invalidArgument(
        `comm: rank must be of this process, which has ${ranksText(this.localRanks)}; given ${shown(rank)}.`,
      );
    }
    return found.communicator;
  }

  /**
   * Calls `callback` once for each rank of this process, all concurrently. It waits for all of
   * them, and then for their remaining launches. The results are in rank order.
   *
   * If a callback rejects or the signal is aborted, the world is aborted: kernels end, all pending
   * operations of this world reject with `NCCLTS_ABORTED`, and only `close` is allowed. `run` then
   * rejects after all callbacks have settled: it cannot end a callback's other awaits.
   *
   * A callback that awaits an operation of this world counts as waiting for that operation. If all
   * ranks wait and nothing can progress, backends that detect deadlocks report one.
   *
   * @throws the error of the first callback that rejected; `NCCLTS_ABORTED` with the signal's
   *   reason as its cause; the errors of the launches; the reason why they never end, if a
   *   `Companion` knows it; `NCCL_INVALID_USAGE` while another run is in progress.
   */
  async run<T>(callback: (comm: Communicator) => Promise<T> | T, options: RunOptions = {}): Promise<T[]> {
    const { lifecycle } = this.#state;
    lifecycle.check('run');
    if (this.#failRun !== undefined)
      throw invalidUsage('run: the world is running already; one run must end before the next begins.');
    if (typeof callback !== 'function') {
      throw invalidArgument(`run: the first argument must be a function of a communicator; given ${shown(callback)}.`);
    }
    const signal = signalOf(takeOptions('run', options, { signal: true }).signal, 'run');
    throwIfAborted(signal, 'run');

    const failures: unknown[] = [];
    this.#failRun = (cause) => failures.push(cause);
    const onAbort = (): void => this.#abort(aborted('run: its signal was aborted.', signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const ranks = [...this.#ranks.values()];
      for (const { state } of ranks) this.#state.states.start(state.rank);
      this.#returned = 0;
      const results = await Promise.all(ranks.map(async (rank) => this.#runRank(rank, callback)));
      if (failures.length > 0) throw failures[0];
      return results.flat();
    } finally {
      signal?.removeEventListener('abort', onAbort);
      this.#failRun = undefined;
      for (const rank of this.#ranks.keys()) this.#state.states.start(rank);
    }
  }

  /**
   * Records the launches that `callback` makes on the default streams of all ranks of this process,
   * instead of running them. The returned graph launches all of them with one call. `callback` is
   * called once for each rank, all concurrently; reads, writes, `synchronize` and collective calls
   * are not allowed in it. The graph is closed with the world at the latest.
   *
   * @throws the error of a callback that rejected; `NCCL_INVALID_USAGE` if a stream is being
   *   captured already.
   */
  async capture(callback: (comm: Communicator) => Promise<void> | void): Promise<Graph> {
    this.#state.lifecycle.check('capture');
    const ranks = [...this.#ranks.values()];
    const [first] = ranks;
    if (first === undefined) throw invalidUsage('capture: this process has no ranks.');
    for (const { state } of ranks) state.check('capture');
    const graph = await captureOn(
      this.#state,
      ranks.map(({ state }) => state.defaultStream),
      async () => {
        const settled = await Promise.allSettled(ranks.map(async ({ communicator }) => callback(communicator)));
        const failed = settled.find((outcome) => outcome.status === 'rejected');
        if (failed !== undefined) throw failed.reason;
      },
      (closing) => first.state.resources.remove(closing),
    );
    return first.state.adopt(graph, 'capture');
  }

  /** An array with the result; empty if the rank failed and the world was therefore aborted. */
  async #runRank<T>(
    { state, communicator }: Rank,
    callback: (comm: Communicator) => Promise<T> | T,
  ): Promise<[T] | []> {
    const { states } = this.#state;
    try {
      const result = await callback(communicator);
      this.#returned++;
      if (this.#returned === this.#ranks.size) this.#checkRest();
      for (const one of this.#communicatorsOf(state.rank)) await one.drain('synchronize at the end of its callback');
      states.finish(state.rank, 'returned');
      for (const one of this.#communicatorsOf(state.rank)) one.group.leave(one.rank);
      return [result];
    } catch (error) {
      states.finish(state.rank, 'threw');
      this.#abort(error);
      return [];
    }
  }

  /**
   * Called when no host program of the run can launch more.
   *
   * @throws a companion's reason why something never ends
   */
  #checkRest(): void {
    for (const group of this.#state.groups) {
      const unending = group.companions.atRest();
      if (unending !== undefined) throw unending;
    }
  }

  /** Returns the open communicators of a rank: the world's, and those derived from it. */
  #communicatorsOf(rank: number): readonly RankState[] {
    return [...this.#state.communicators].filter(({ worldRank }) => worldRank === rank);
  }

  /** Ends all running and waiting work. The first cause is kept. */
  #abort(cause: unknown): void {
    abortWorld(this.#state, cause, this.#failRun);
  }

  /**
   * Frees all resources. It aborts running and waiting work, so synchronize first if you need the
   * results. A second call only waits for the first.
   *
   * @throws the errors of launches that were not reported yet; without an abort, an error for
   *   unmatched calls that a `Companion` reports.
   * @see ncclCommDestroy
   */
  async close(): Promise<void> {
    this.#closing ??= this.#close();
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(): Promise<void> {
    await closeWorld(this.#opened, this.#failRun !== undefined, (cause) => this.#abort(cause));
  }
}
