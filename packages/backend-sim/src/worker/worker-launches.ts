import { NcclError } from '@nccl-ts/core';
import type { ParkedCta } from '@nccl-ts/findings';
import type { Elsewhere } from '../engine/elsewhere.ts';
import type { SimLaunch } from '../engine/launch.ts';
import type { SimWorldMemory } from '../memory/world-memory.ts';
import type { PortableCode, ProgramHost } from '@nccl-ts/codegen';
import { LaunchWords } from './launch-words.ts';
import type { FromWorker, ParkedReport, Work, WorkerFailure } from './messages.ts';
import { portableArgs } from './portable-args.ts';
import type { WorkerPool } from './worker-pool.ts';

export interface WorkerLaunchesOptions {
  readonly pool: WorkerPool;
  readonly memory: SimWorldMemory;
  /** Returns the parts of the world that a launch needs for its faults and printed lines. */
  hostOf(launch: SimLaunch): ProgramHost;
  /** Called when all CTAs of a launch have ended. */
  onEnd(launch: SimLaunch): void;
  /**
   * Called when a launch cannot continue. `fail` throws the reason. The callee must drop the
   * launch.
   */
  onFailure(launch: SimLaunch, fail: () => never): void;
  /** Returns the error of a CTA that has used up its slices. */
  spent(launch: SimLaunch, failure: Extract<WorkerFailure, { readonly kind: 'spent' }>): NcclError;
  /**
   * Called when no CTA on the threads can continue by itself, or the threads have reported their
   * waits.
   */
  onIdle(): void;
}

interface WorkerLaunchEntry {
  readonly launch: SimLaunch;
  readonly words: LaunchWords;
  readonly host: ProgramHost;
  printed: number;
  hasEnded: boolean;
  /**
   * While the launch is being dropped: the number of threads that have not dropped it yet, and the
   * callback.
   */
  dropping: { left: number; readonly callBack: () => void } | undefined;
}

/** Launches on the threads of a pool. */
export class WorkerLaunches implements Elsewhere {
  readonly #options: WorkerLaunchesOptions;
  readonly #entries = new Map<number, WorkerLaunchEntry>();
  readonly #codes = new Map<PortableCode, number>();
  #reportedRegions = -1;
  #unsent: { readonly launches: Work['launches'][number][]; readonly codes: Work['codes'][number][] } | undefined;
  /** The waits, and the progress at which they were requested. */
  #pendingQuery:
    | { readonly query: number; readonly progress: number; readonly answers: ParkedCta[]; left: number }
    | undefined;
  #queries = 0;
  #isBroken = false;

  constructor(options: WorkerLaunchesOptions) {
    this.#options = options;
    options.pool.listener = { message: (message) => this.#hear(message), broke: (why) => this.#break(why) };
  }

  takes(launch: SimLaunch): boolean {
    return !this.#isBroken && launch.code.portable !== undefined;
  }

  get count(): number {
    return this.#entries.size;
  }

  get progress(): number {
    return this.#options.pool.control.progress;
  }

  get isStill(): boolean {
    return this.#unsent === undefined && this.#options.pool.control.isStill;
  }

  get parked(): readonly ParkedCta[] | undefined {
    if (this.count === 0) return [];
    const requested = this.#pendingQuery;
    if (requested?.progress === this.progress) return requested.left === 0 ? requested.answers : undefined;
    const { pool } = this.#options;
    const query = ++this.#queries;
    pool.send({ kind: 'explain', query });
    // A query also counts as progress, although it changes nothing.
    this.#pendingQuery = { query, progress: this.progress, answers: [], left: pool.size };
    return undefined;
  }

  changed(): void {
    this.#options.pool.control.advance();
  }

  begin(launch: SimLaunch): void {
    const { code } = launch;
    if (code.portable === undefined)
      throw new NcclError('NCCL_INTERNAL_ERROR', 'This launch must stay on this thread.');
    const words = LaunchWords.of(launch.ctas);
    const host = this.#options.hostOf(launch);
    if (this.#entries.size === 0) this.#options.pool.hold(true);
    this.#entries.set(launch.id, { launch, words, host, printed: 0, hasEnded: false, dropping: undefined });
    if (this.#unsent === undefined) {
      this.#unsent = { launches: [], codes: [] };
      // Launches of several ranks usually come together, and are then sent together.
      queueMicrotask(() => this.#send());
    }
    let id = this.#codes.get(code.portable);
    if (id === undefined) {
      id = this.#codes.size;
      this.#codes.set(code.portable, id);
      this.#unsent.codes.push({ id, kernel: launch.kernel.name, code: code.portable });
    }
    const { rank, grid, block, ctas } = launch;
    const args = portableArgs(launch.args);
    this.#unsent.launches.push({ id: launch.id, rank, code: id, args, grid, block, ctas, words: words.buffer });
  }

  drop(launch: SimLaunch, callBack: () => void): void {
    const entry = this.#entries.get(launch.id);
    if (entry === undefined || this.#isBroken) {
      this.#forget(launch.id);
      callBack();
      return;
    }
    this.#send();
    const { pool } = this.#options;
    entry.words.kill();
    entry.dropping = { left: pool.size, callBack };
    pool.send({ kind: 'drop', launch: launch.id });
  }

  /** Called when the threads have ended. Everything that was to be dropped is then dropped. */
  ended(): void {
    this.#isBroken = true;
    for (const { launch, dropping } of this.#entries.values()) {
      this.#forget(launch.id);
      dropping?.callBack();
    }
  }

  #send(): void {
    const unsent = this.#unsent;
    if (unsent === undefined || this.#isBroken) return;
    this.#unsent = undefined;
    const { pool, memory } = this.#options;
    const { regions } = memory.space;
    const { version, low, high, multicast } = regions;
    const isFirst = this.#reportedRegions === -1;
    const isNew = version !== this.#reportedRegions;
    this.#reportedRegions = version;
    const { linear, views } = memory.heap;
    pool.send({
      kind: 'work',
      memory: isFirst ? { memory: linear.memory, frames: linear.frame } : undefined,
      bytes: views.u8.length,
      regions: isNew ? { low, high, multicast } : undefined,
      ...unsent,
    });
  }

  #hear(message: FromWorker): void {
    switch (message.kind) {
      case 'ready':
        return;
      case 'idle':
        this.#options.onIdle();
        return;
      case 'explained':
        this.#explained(message);
        return;
      case 'print':
      case 'ended':
      case 'failed':
      case 'dropped': {
        const entry = this.#entries.get(message.launch);
        if (entry !== undefined) this.#about(entry, message);
      }
    }
  }

  #about(entry: WorkerLaunchEntry, message: Extract<FromWorker, { readonly launch: number }>): void {
    switch (message.kind) {
      case 'print':
        entry.host.print(message.cta, message.thread, message.parts);
        entry.printed++;
        this.#settle(entry);
        return;
      case 'ended':
        entry.hasEnded = true;
        this.#settle(entry);
        return;
      case 'failed':
        this.#options.onFailure(entry.launch, () => this.#fail(entry, message.failure));
        return;
      case 'dropped': {
        const { dropping, launch } = entry;
        if (dropping === undefined || --dropping.left > 0) return;
        this.#forget(launch.id);
        dropping.callBack();
      }
    }
  }

  /** A launch has ended only when all of its lines have arrived. */
  #settle({ launch, words, printed, hasEnded, dropping }: WorkerLaunchEntry): void {
    if (!hasEnded || printed !== words.prints || dropping !== undefined) return;
    this.#forget(launch.id);
    this.#options.onEnd(launch);
  }

  #fail({ launch, host }: WorkerLaunchEntry, failure: WorkerFailure): never {
    switch (failure.kind) {
      case 'fault':
        return host.fault(failure.cta, failure.fault);
      case 'spent':
        throw this.#options.spent(launch, failure);
      case 'broke':
        throw new Error(failure.message);
    }
  }

  #explained({ query, parked }: Extract<FromWorker, { readonly kind: 'explained' }>): void {
    const requested = this.#pendingQuery;
    if (requested?.query !== query) return;
    for (const report of parked) {
      const entry = this.#entries.get(report.launch);
      if (entry !== undefined) requested.answers.push(this.#parkedCta(entry, report));
    }
    if (--requested.left > 0) return;
    for (const { launch, words } of this.#entries.values()) launch.started = Math.min(words.next, launch.ctas);
    this.#options.onIdle();
  }

  #parkedCta(entry: WorkerLaunchEntry, { cta, waiting, failure }: ParkedReport): ParkedCta {
    const { launch } = entry;
    return {
      kernel: launch.kernel,
      label: launch.label,
      launch: launch.id,
      rank: launch.rank,
      cta,
      sites: launch.code.sites,
      waiting: () => (failure === undefined ? waiting : this.#fail(entry, failure)),
    };
  }

  #forget(id: number): void {
    if (this.#entries.delete(id) && this.#entries.size === 0 && !this.#isBroken) this.#options.pool.hold(false);
  }

  #break(why: string): void {
    this.#isBroken = true;
    const entries = [...this.#entries.values()];
    for (const { launch, dropping } of entries) {
      const fail = (): never => {
        throw new Error(`a worker thread failed: ${why}`);
      };
      if (dropping === undefined) this.#options.onFailure(launch, fail);
      else {
        this.#forget(launch.id);
        dropping.callBack();
      }
    }
  }
}
