import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface, type Interface } from 'node:readline';

/** A process's result for a request. */
export interface MeasurementResponse {
  readonly us?: number;
  readonly wrong?: number;
  readonly error?: string;
}

export interface MeasuringOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** The time for an answer, after which the process is ended. @default any time */
  readonly seconds?: number;
}

/**
 * A process that measures. A request is a line of JSON on its stdin. A line of its stdout that
 * begins with @ is the answer.
 */
export class MeasuringProcess {
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string, unknown>;
  readonly #ended: Promise<string>;
  readonly #seconds: number | undefined;

  constructor(command: readonly string[], { environment = {}, seconds }: MeasuringOptions = {}) {
    const [program = '', ...rest] = command;
    const child = spawn(program, rest, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...environment } });
    this.#child = child;
    this.#seconds = seconds;
    this.#ended = new Promise((resolve) => {
      child.once('error', ({ message }) => resolve(`cannot start ${program} because of ${message}`));
      child.once('close', (code, signal) => resolve(`${program} ended with ${signal ?? `code ${code}`}`));
    });
    // A process that has ended takes no requests. Its answer says so.
    child.stdin.on('error', () => undefined);
    const lines: Interface = createInterface({ input: child.stdout });
    this.#lines = lines[Symbol.asyncIterator]();
  }

  /** The answer, which is an error if the process has ended. */
  async request(request: object): Promise<MeasurementResponse> {
    this.#child.stdin?.write(`${JSON.stringify(request)}\n`);
    const seconds = this.#seconds;
    let late = false;
    const timer =
      seconds === undefined
        ? undefined
        : setTimeout(() => {
            late = true;
            this.#child.kill('SIGKILL');
          }, 1000 * seconds);
    try {
      for (;;) {
        const next: IteratorResult<string, unknown> = await this.#lines.next();
        if (next.done === true) return { error: late ? `no answer within ${seconds} s` : await this.#ended };
        if (next.value.startsWith('@')) return answerOf(next.value.slice(1));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.#child.stdin?.end();
  }
}

function answerOf(text: string): MeasurementResponse {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer === 'object' && answer !== null) return answer;
  } catch {
    // The error below names the text.
  }
  return { error: `the answer is no JSON object: ${text}` };
}
