import type { ApiVersionOptions } from '@nccl-ts/devcomm';
import { expectOptions } from '@nccl-ts/core';
import type { Topology } from '@nccl-ts/topology';
import type { Backend } from '@nccl-ts/transport';
import { Communicator } from './communicator.ts';
import { ranksText, shown } from './describe.ts';
import { aborted, invalidArgument, invalidUsage, throwIfAborted } from './errors.ts';
import { captureOn, type Graph } from './graph.ts';
import { abortWorld, checkBackend, closeWorld, openWorld, type OpenedWorld } from './opened-world.ts';
import { signalOf } from './launch-config.ts';
import type { RankState } from './rank-state.ts';
import type { WorldState } from './world-state.ts';

export interface OpenOptions extends ApiVersionOptions {
  /** What runs the kernels, and with how many ranks. */
  readonly backend: Backend;
  /** Gives up opening; later it has no effect. */
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
 * The ranks of one process, with a communicator each.
 *
 * @see ncclCommInitAll
 */
export class World implements AsyncDisposable {
  readonly #opened: OpenedWorld;
  readonly #ranks: ReadonlyMap<number, Rank>;
  /** Tells the run in progress why the world was aborted. */
  #failRun: ((cause: unknown) => void) | undefined;
  /** Callbacks of the run in progress that have returned. */
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
   * Opens a world on a backend. The caller closes it: `await using world = await World.open(...)`.
   *
   * @throws NcclError `NCCLTS_ABORTED` where the signal is aborted before; what the backend says
   *   where it cannot.
   * @see ncclCommInitAll
   */
  static async open(options: OpenOptions): Promise<World> {
    const what = 'World.open';
    expectOptions(what, options, { backend: true, signal: true, versionCheck: true });
    checkBackend(options.backend, what);
    const { backend, versionCheck } = options;
    const signal = signalOf(options.signal, what);
    return new World(
      await openWorld({ backend, what, signal, ...(versionCheck === undefined ? {} : { versionCheck }) }),
    );
  }

  /** Ranks of the whole world, those of other processes included. */
  get nRanks(): number {
    return this.topology.nRanks;
  }

  get topology(): Topology {
    return this.#state.device.topology;
  }

  /** The ranks of this process, ascending. */
  get localRanks(): readonly number[] {
    return [...this.#ranks.keys()];
  }

  /**
   * The communicator of a rank of this process, to be used outside of `run`.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` where this process has no such rank.
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
   * Calls `callback` once for each rank of this process, all at the same time, and waits for all of
   * them and then for the launches that they left behind. The results are in the order of the
   * ranks.
   *
   * Where a callback rejects or the signal is aborted, the world is aborted: kernels end,
   * everything that waits for this world rejects with `NCCLTS_ABORTED`, and nothing but `close` may
   * follow. `run` then rejects once all callbacks have settled: it cannot end what a callback
   * awaits elsewhere.
   *
   * A callback that awaits something of this world counts as waiting for it alone: where all ranks
   * do so and nothing can move, backends that see it report a deadlock.
   *
   * @throws what the first callback that rejected did reject with; `NCCLTS_ABORTED` with the
   *   signal's reason as its cause; what went wrong in the launches; why they never end, where a
   *   `Companion` knows; `NCCL_INVALID_USAGE` while another run is in progress.
   */
  async run<T>(callback: (comm: Communicator) => Promise<T> | T, options: RunOptions = {}): Promise<T[]> {
    const { lifecycle } = this.#state;
    lifecycle.check('run');
    if (this.#failRun !== undefined)
      throw invalidUsage('run: the world is running already; one run must end before the next begins.');
    if (typeof callback !== 'function') {
      throw invalidArgument(`run: the first argument must be a function of a communicator; given ${shown(callback)}.`);
    }
    expectOptions('run', options, { signal: true });
    const signal = signalOf(options.signal, 'run');
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
   * instead of running them, into one graph, whose launch costs one call for all of them.
   * `callback` is called once for each rank, all at the same time; reads, writes, `synchronize` and
   * collective calls are not allowed in it. The graph is closed with the world at the latest.
   *
   * @throws what a callback that rejected did reject with; `NCCL_INVALID_USAGE` where a stream is
   *   being captured already.
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

  /**
   * The result alone in an array; an empty one where the rank failed and the world was aborted for
   * it.
   */
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
   * No host program of the run launches anything more. @throws what a companion says why something
   * never ends.
   */
  #checkRest(): void {
    for (const group of this.#state.groups) {
      const unending = group.companions.atRest();
      if (unending !== undefined) throw unending;
    }
  }

  /** The open communicators of a rank: the world's, and those that were made of it. */
  #communicatorsOf(rank: number): readonly RankState[] {
    return [...this.#state.communicators].filter(({ worldRank }) => worldRank === rank);
  }

  /** Ends all that runs or waits. The first cause stands. */
  #abort(cause: unknown): void {
    abortWorld(this.#state, cause, this.#failRun);
  }

  /**
   * Gives everything back. What still runs or waits is aborted, so synchronise first where its end
   * matters. Closing again does nothing but wait for the first.
   *
   * @throws what went wrong in launches that nobody was told of; where nothing had to be aborted,
   *   what a `Companion` finds missing.
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
