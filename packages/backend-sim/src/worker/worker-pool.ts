import { Control, controlBuffer } from './control.ts';
import type { FromWorker, ToWorker } from './messages.ts';
import { Residents } from '../engine/residents.ts';
import { lackOfThreads, spawnThread, type HostThread } from '@nccl-ts/transport';

export interface WorkerPoolOptions {
  readonly threads: number;
  readonly ranks: number;
  readonly residentCtas: number;
  /** The number of consecutive turns in which a CTA may reach neither a wait nor its end. */
  readonly turns: number;
}

/** Receives the messages of threads. */
export interface PoolListener {
  message(message: FromWorker): void;
  /** Called when a thread has failed. Then no thread runs any longer. */
  broke(why: string): void;
}

/** The threads of a world, all of which are ready. */
export class WorkerPool {
  readonly control: Control;
  readonly residents: Residents;
  readonly size: number;
  listener: PoolListener | undefined;
  readonly #threads: readonly HostThread<ToWorker>[];
  #ended = false;

  private constructor(threads: readonly HostThread<ToWorker>[], control: Control, residents: Residents) {
    this.#threads = threads;
    this.size = threads.length;
    this.control = control;
    this.residents = residents;
  }

  /**
   * Starts threads, and resolves once all of them are ready. If that is impossible, returns the
   * reason.
   */
  static async open({ threads, ranks, residentCtas, turns }: WorkerPoolOptions): Promise<WorkerPool | string> {
    const lack = lackOfThreads();
    if (lack !== undefined) return lack;
    // Programs that run without threads do not load it.
    const { workerText } = await import('./worker-text.ts');
    const control = controlBuffer(threads);
    const residents = new SharedArrayBuffer(ranks * 4);
    const begun: HostThread<ToWorker>[] = [];
    const made: { pool?: WorkerPool } = {};
    try {
      const ready = Array.from(
        { length: threads },
        (_, thread) =>
          new Promise<void>((resolve, reject) => {
            const host = spawnThread<ToWorker, FromWorker>(workerText, {
              message: (message) => {
                if (message.kind !== 'ready') made.pool?.listener?.message(message);
                else if (message.problem === undefined) resolve();
                else reject(new Error(message.problem));
              },
              broke: (why) => {
                reject(new Error(why));
                if (made.pool !== undefined) made.pool.#broke(why);
              },
            });
            begun.push(host);
            host.hold(true);
            host.post({ kind: 'begin', thread, threads, control, residents, residentCtas, turns });
          }),
      );
      await Promise.all(ready);
    } catch (error) {
      await Promise.all(begun.map((host) => host.end()));
      return `cannot start a worker thread: ${error instanceof Error ? error.message : String(error)}`;
    }
    const pool = new WorkerPool(begun, new Control(control), new Residents(new Int32Array(residents), residentCtas));
    made.pool = pool;
    pool.hold(false);
    return pool;
  }

  /** Sends a message to all threads. */
  send(message: ToWorker): void {
    for (const thread of this.#threads) thread.post(message);
    this.control.mailed();
  }

  /** True if the threads keep the process alive. */
  hold(holds: boolean): void {
    for (const thread of this.#threads) thread.hold(holds);
  }

  /** Ends all threads, even in the middle of their work. */
  async end(): Promise<void> {
    this.#ended = true;
    await Promise.all(this.#threads.map((thread) => thread.end()));
  }

  #broke(why: string): void {
    if (this.#ended) return;
    void this.end().then(() => this.listener?.broke(why));
  }
}
