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

let shared: Client | undefined;

/** One worker for all programs of a document. */
export function sharedClient(): Client {
  return (shared ??= new Client(new URL('worker.js', import.meta.url).href));
}

/** A check that is asked to stop gets so long, in ms: then its worker ends. */
const PATIENCE = 700;

interface Waiting {
  readonly kind: WorkerRequest['kind'];
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
  /** Resolved once the first worker answers. Requests may be made before. */
  readonly ready: Promise<void>;
  /** Why the worker could not be loaded. */
  #failure: Problem | undefined;

  constructor(url: string) {
    this.#url = url;
    let begun = (): void => {};
    this.ready = new Promise((resolve) => {
      begun = resolve;
    });
    this.#worker = this.#begin(begun);
  }

  async ask<K extends keyof Answers>(
    request: Extract<WorkerRequest, { readonly kind: K }>,
    news: News = {},
  ): Promise<Answers[K]> {
    if (this.#failure !== undefined) throw new WorkerProblem(this.#failure);
    const id = this.#next++;
    return new Promise<Answers[K]>((resolve, reject) => {
      // The worker answers a request with what the protocol names for its kind.
      this.#waiting.set(id, { kind: request.kind, resolve: (answer) => resolve(answer as Answers[K]), reject, news });
      this.#worker.postMessage({ id, request });
    });
  }

  /**
   * Ends whatever runs. A check is asked first, and answers with what it has found. Every other
   * request that waits is rejected with `Stopped`.
   */
  stop(): void {
    const [first] = this.#waiting;
    if (first === undefined || first[1].kind !== 'check') {
      this.#end();
      return;
    }
    const [id] = first;
    this.#worker.postMessage({ id, request: { kind: 'stop' } });
    setTimeout(() => {
      if (this.#waiting.has(id)) this.#end();
    }, PATIENCE);
  }

  #end(): void {
    this.#worker.terminate();
    this.#failure = undefined;
    this.#worker = this.#spare ?? this.#begin();
    this.#spare = undefined;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new Stopped());
    this.warm();
  }

  /** Loads the worker that takes over after a stop. */
  warm(): void {
    this.#spare ??= this.#begin();
  }

  #begin(begun: () => void = () => {}): Worker {
    const worker = new Worker(this.#url, { type: 'module' });
    let hasBegun = false;
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
      if (data.kind === 'ready') {
        hasBegun = true;
        begun();
      } else this.#take(data);
    });
    worker.addEventListener('error', (event) => {
      if (worker === this.#spare) this.#spare = undefined;
      if (worker !== this.#worker) return;
      const problem = { message: event.message === '' ? 'the worker could not be loaded' : event.message };
      if (!hasBegun) this.#failure = problem;
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
