import type { Answers, Problem, WorkerMessage, WorkerRequest } from './protocol.ts';
import { workerMessage } from './worker-message.ts';
import { policyProblem } from './worker-policy.ts';

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

/** A worker, and the page's end of the port to it. */
interface Line {
  readonly worker: Worker;
  readonly port: MessagePort;
}

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
  #line: Line;
  #spare: Line | undefined;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();
  /** Resolves once the first worker responds. You may send requests before that. */
  readonly ready: Promise<void>;
  /** The reason why the worker could not be loaded. */
  #failure: Problem | undefined;
  /** The reason why programs must not run here; resolves before the first request is sent. */
  readonly #refusal: Promise<Problem | undefined>;

  constructor(url: string) {
    this.#url = url;
    let begun = (): void => {};
    this.ready = new Promise((resolve) => {
      begun = resolve;
    });
    this.#line = this.#begin(begun);
    this.#refusal = policyProblem(url);
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
      void this.#send(id, request);
    });
  }

  /** Sends a request once it is known that programs may run here, unless it was stopped before. */
  async #send(id: number, request: WorkerRequest): Promise<void> {
    const problem = await this.#refusal;
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    if (problem === undefined) this.#line.port.postMessage({ id, request });
    else {
      this.#waiting.delete(id);
      waiting.reject(new WorkerProblem(problem));
    }
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
    this.#line.port.postMessage({ id, request: { kind: 'stop' } });
    setTimeout(() => {
      if (this.#waiting.has(id)) this.#end();
    }, PATIENCE);
  }

  #end(): void {
    this.#line.worker.terminate();
    this.#line.port.close();
    this.#failure = undefined;
    this.#line = this.#spare ?? this.#begin();
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

  /**
   * The worker gets a port of its own. A program has no access to it, so it can neither answer in
   * the worker's place nor flood the page: messages that come another way have no listener.
   */
  #begin(begun: () => void = () => {}): Line {
    const worker = new Worker(this.#url, { type: 'module' });
    const { port1: port, port2 } = new MessageChannel();
    const line = { worker, port };
    worker.postMessage('port', [port2]);
    let hasBegun = false;
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = workerMessage(data);
      if (message === undefined) return;
      if (message.kind === 'ready') {
        hasBegun = true;
        begun();
      } else if (line === this.#line) this.#take(message);
    };
    worker.addEventListener('error', (event) => {
      // Later errors of a program come over the port.
      if (hasBegun) return;
      if (line === this.#spare) this.#spare = undefined;
      if (line !== this.#line) return;
      const problem = { message: event.message === '' ? 'the worker could not be loaded' : event.message };
      this.#failure = problem;
      for (const { reject } of this.#waiting.values()) reject(new WorkerProblem(problem));
      this.#waiting.clear();
    });
    return line;
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
      case 'uncaught':
        waiting.reject(new WorkerProblem(message.problem));
        this.#waiting.delete(message.id);
        this.#end();
        return;
    }
    this.#waiting.delete(message.id);
  }
}
