import { encodeModule } from '@nccl-ts/codegen/wasm';
import {
  compileModule,
  createMemory,
  instantiate,
  PAGE_BYTES,
  type WebAssemblyMemory,
  type WebAssemblyModule,
} from '@nccl-ts/codegen';
import { controlWords, MAX_TEAM_THREADS } from './control-words.ts';
import { emitServe } from './emit-serve.ts';
import { lackOfThreads, spawn, type HostThread } from '../worker/spawn.ts';
import { threadText } from './thread-text.ts';

/** A message to a thread of a team. It has no reply. */
type TeamMessage =
  | {
      readonly kind: 'open';
      readonly memory: WebAssemblyMemory;
      readonly thread: number;
      readonly serve: WebAssemblyModule;
    }
  | { readonly kind: 'job'; readonly job: number; readonly module: WebAssemblyModule };

/** A job that the threads of one team do together, each with its number. */
export class TeamJob {
  readonly module: WebAssemblyModule;
  readonly run: (thread: number, threads: number, times: number) => void;
  /** Its number in the other threads, once they have received it. */
  number: number | undefined;

  /** `module` exports `run(thread, threads, times)` and works on `memory`. */
  constructor(module: WebAssemblyModule, memory: WebAssemblyMemory) {
    const { run } = instantiate(module, { memory });
    if (typeof run !== 'function') throw new TypeError('The module of a job must export run.');
    this.module = module;
    this.run = (thread, threads, times) => void Reflect.apply(run, undefined, [thread, threads, times]);
  }
}

/**
 * Threads that do the same job at the same time on one memory. The thread that makes the team is
 * its first. The others start when they are first needed. Until they have started, or if they
 * cannot start, the first thread works alone.
 */
export class Team {
  /** The number of threads, including the first. */
  readonly threads: number;
  /** The memory of its jobs. The team itself uses the first 4096 bytes. */
  readonly memory: WebAssemblyMemory;
  readonly #words: Int32Array;
  #others: readonly HostThread<TeamMessage>[] | undefined;
  #jobs = 0;
  /** The numbers of jobs that are no longer needed. */
  readonly #free: number[] = [];
  #posted = 0;

  /** `memory` must be shared if `threads` is more than 1. */
  constructor(memory: WebAssemblyMemory, threads: number) {
    this.memory = memory;
    this.threads = Math.min(threads, MAX_TEAM_THREADS);
    this.#words = new Int32Array(memory.buffer, 0, 1024);
  }

  /** Makes a team with its own memory, of at least the given number of bytes. */
  static ofBytes(bytes: number, threads: number): Team {
    const pages = Math.ceil(bytes / PAGE_BYTES);
    return new Team(createMemory(pages, pages, true), threads);
  }

  /** True if the other threads spin, so that they start without a delay. */
  get isHot(): boolean {
    return this.#isReady && this.#load('sleepers') === 0;
  }

  /** True if the other threads have started and handled all messages. */
  get #isReady(): boolean {
    const { length } = this.#others ?? [];
    return length > 0 && this.#load('handled') === this.#posted * length;
  }

  /**
   * Sends a job to the other threads, and starts them if necessary. Returns true if they are ready
   * for it.
   */
  prepare(job: TeamJob): boolean {
    this.#others ??= this.#start();
    if (this.#others.length === 0) return false;
    if (job.number === undefined) {
      job.number = this.#free.pop() ?? this.#jobs++;
      const { number: known, module } = job;
      this.#post(() => ({ kind: 'job', job: known, module }));
    }
    return this.#isReady;
  }

  /**
   * Does the job the given number of times, with all threads if they are ready. Returns when it is
   * finished.
   */
  run(job: TeamJob, times = 1, together = true): void {
    if (!together || this.threads === 1 || !this.prepare(job)) {
      job.run(0, 1, times);
      return;
    }
    this.#store('job', job.number ?? -1);
    this.#store('threads', this.threads);
    this.#store('times', times);
    this.#wake();
    job.run(0, this.threads, times);
  }

  /**
   * Declares that the job will not run again. The threads keep it until another job replaces it.
   */
  forget(job: TeamJob): void {
    if (job.number !== undefined) this.#free.push(job.number);
    job.number = undefined;
  }

  /** Ends the other threads and aborts their work. */
  close(): void {
    for (const thread of this.#others ?? []) void thread.end();
    this.#others = [];
  }

  #start(): readonly HostThread<TeamMessage>[] {
    if (lackOfThreads() !== undefined) return [];
    // If one of the threads is lost, the first thread continues alone.
    const listener = { message: (): void => undefined, broke: (): void => this.close() };
    const others = Array.from({ length: this.threads - 1 }, () => spawn<TeamMessage, never>(threadText, listener));
    this.#others = others;
    const serve = compileModule(encodeModule(emitServe()));
    this.#post((thread) => ({ kind: 'open', memory: this.memory, thread, serve }));
    return others;
  }

  #post(message: (thread: number) => TeamMessage): void {
    this.#others?.forEach((thread, i) => thread.post(message(i + 1)));
    this.#posted++;
    this.#store('job', -1);
    this.#store('posted', this.#posted);
    this.#wake();
  }

  #wake(): void {
    Atomics.add(this.#words, controlWords.ticket / 4, 1);
    if (this.#load('sleepers') > 0) Atomics.notify(this.#words, controlWords.ticket / 4);
  }

  #load(word: 'sleepers' | 'handled'): number {
    return Atomics.load(this.#words, controlWords[word] / 4);
  }

  #store(word: 'job' | 'threads' | 'times' | 'posted', value: number): void {
    Atomics.store(this.#words, controlWords[word] / 4, value);
  }
}
