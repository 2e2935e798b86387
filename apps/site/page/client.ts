import type { Answers, Problem, WorkerMessage, WorkerRequest } from './protocol.ts';

export interface News {
  readonly onPhase?: (phase: string) => void;
  readonly onFinding?: (message: string) => void;
}

/** An error of the worker. */
export class WorkerProblem extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message);
    this.name = 'WorkerProblem';
    this.problem = problem;
  }
}

/** The request was stopped. */
export class Stopped extends Error {
  constructor() {
    super('stopped');
    this.name = 'Stopped';
  }
}

interface Waiting {
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly news: News;
}

/**
 * Programs run in a worker, so that none can freeze the page. A spare worker is loaded before it is
 * needed: after a stop the next request need not wait.
 */
export class Client {
  readonly #url: string;
  #worker: Worker;
  #spare: Worker | undefined;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();
  readonly ready: Promise<void>;

  constructor(url: string) {
    this.#url = url;
    let begun = (): void => {};
    this.ready = new Promise((resolve) => {
      begun = resolve;
    });
    this.#worker = this.#listen(new Worker(url, { type: 'module' }), begun);
  }

  async ask<K extends keyof Answers>(
    request: Extract<WorkerRequest, { readonly kind: K }>,
    news: News = {},
  ): Promise<Answers[K]> {
    const id = this.#next++;
    return new Promise<Answers[K]>((resolve, reject) => {
      // The worker answers a request with what the protocol names for its kind.
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as Answers[K]), reject, news });
      this.#worker.postMessage({ id, request });
    });
  }

  /** Ends whatever runs. Every request that waits is rejected with `Stopped`. */
  stop(): void {
    this.#worker.terminate();
    this.#worker = this.#listen(this.#spare ?? new Worker(this.#url, { type: 'module' }), () => {});
    this.#spare = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Stopped());
    this.warm();
  }

  /** Loads the worker that takes over after a stop. */
  warm(): void {
    this.#spare ??= new Worker(this.#url, { type: 'module' });
  }

  #listen(worker: Worker, begun: () => void): Worker {
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
      if (data.kind === 'ready') begun();
      else this.#take(data);
    });
    worker.addEventListener('error', (event) => {
      const problem = { message: event.message === '' ? 'the worker could not be loaded' : event.message };
      for (const { reject } of this.#waiting.values()) reject(new WorkerProblem(problem));
      this.#waiting.clear();
    });
    return worker;
  }

  #take(message: Exclude<WorkerMessage, { readonly kind: 'ready' }>): void {
    const waiting = this.#waiting.get(message.id);
    if (waiting === undefined) return;
    switch (message.kind) {
      case 'phase':
        waiting.news.onPhase?.(message.phase);
        return;
      case 'finding':
        waiting.news.onFinding?.(message.message);
        return;
      case 'answer':
        waiting.resolve(message.answer);
        break;
      case 'problem':
        waiting.reject(new WorkerProblem(message.problem));
        break;
    }
    this.#waiting.delete(message.id);
  }
}
