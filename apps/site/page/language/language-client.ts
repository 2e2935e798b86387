import type { LanguageAnswers, LanguageRequest } from './protocol.ts';

interface Reply {
  readonly id: number;
  readonly answer?: unknown;
  readonly problem?: string;
}

/** TypeScript in its own worker, so that it never delays a run or the page. */
export class LanguageClient {
  readonly #worker = new Worker(new URL('language.js', import.meta.url).href, { type: 'module' });
  readonly #waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  #next = 1;

  constructor() {
    this.#worker.addEventListener('message', ({ data: { id, answer, problem } }: MessageEvent<Reply>) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (problem === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(problem));
    });
    this.#worker.addEventListener('error', ({ message }) => {
      for (const { reject } of this.#waiting.values()) reject(new Error(message));
      this.#waiting.clear();
    });
  }

  async request<K extends keyof LanguageAnswers>(
    request: Extract<LanguageRequest, { readonly kind: K }>,
  ): Promise<LanguageAnswers[K]> {
    const id = this.#next++;
    return new Promise<LanguageAnswers[K]>((resolve, reject) => {
      // The protocol gives the type of the worker's response for each kind of request.
      this.#waiting.set(id, { resolve: (answer) => resolve(answer as LanguageAnswers[K]), reject });
      this.#worker.postMessage({ id, request });
    });
  }
}
