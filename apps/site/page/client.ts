import type { Answers, Problem, WorkerMessage, WorkerRequest } from './protocol.ts';

export interface News {
  readonly onPhase?: (phase: string) => void;
  readonly onFinding?: (message: string) => void;
}

/** An error reported by the worker. */
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

/** The single worker for all programs of a document. */
export function sharedClient(): Client {
  return (shared ??= new Client(new URL('worker.js', import.meta.url).href));
}

/** How long a check may take to stop, in ms. After that, the page terminates its worker. */
const PATIENCE = 700;

interface Waiting {
  readonly kind: WorkerRequest['kind'];
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly news: News;
}

/**
 * Runs programs in a worker, so that none can freeze the page. A spare worker is loaded in advance,
 * so that the next request after a stop need not wait.
 */
export class Client {
  readonly #url: string;
  #worker: Worker;
  #spare: Worker | undefined;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();
  /** Resolves once the first worker responds. You may send requests before that. */
  readonly ready: Promise<void>;
  /** The reason why the worker could not be loaded. */
  #failure: Problem | undefined;

  constructor(url: string) {
    this.#url = url;
    let begun = (): void => {};
    this.ready = new Promise((resolve) => {
      begun = resolve;
    });
    this.#worker = this.#begin(begun);
  }

  async request<K extends keyof Answers>(
    request: Extract<WorkerRequest, { readonly kind: K }>,
    news: News = {},
  ): Promise<Answers[K]> {
    if (this.#failure !== undefined) throw new WorkerProblem(this.#failure);
    const id = this.#next++;
    return new Promise<Answers[K]>((resolve, reject) => {
      // The protocol gives the type of the worker's response for each kind of request.
      this.#waiting.set(id, { kind: request.kind, resolve: (answer) => resolve(answer as Answers[K]), reject, news });
      this.#worker.postMessage({ id, request });
    });
  }

  /**
   * Stops all requests. A running check is asked to stop, and responds with its findings so far.
   * Every other pending request is rejected with `Stopped`.
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
