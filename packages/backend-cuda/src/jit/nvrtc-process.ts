import { spawn, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import type { NvrtcInstallation } from '../discovery/find-nvrtc.ts';
import { nvrtcProcessText } from './nvrtc-process-text.ts';

/** A program and its options. */
export interface NvrtcProgram {
  readonly text: string;
  /** The text's name in messages. */
  readonly name: string;
  /** Headers by the names with which texts include them. They precede those of the directories. */
  readonly headers: Readonly<Record<string, string>>;
  readonly options: readonly string[];
  readonly output: 'cubin' | 'ptx';
}

/** The result: the bytes, or an `nvrtcResult` and NVRTC's messages. */
export type NvrtcOutcome =
  | { readonly kind: 'compiled'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: 'refused'; readonly result: number; readonly messages: string };

type FromNvrtc =
  | NvrtcOutcome
  | { readonly kind: 'ready'; readonly version: number }
  | { readonly kind: 'failed'; readonly problem: string };

/**
 * A process that compiles with NVRTC, one program at a time.
 *
 * It is a separate process, because NVRTC compiles only one program at a time in a process, and
 * handles SIGINT and SIGTERM meanwhile. It does not restore Node's handlers afterwards, so the
 * process would ignore both signals.
 */
export class NvrtcProcess {
  /** In the form of `CUDA_VERSION`: 13000 is 13.0. */
  readonly version: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, version: number) {
    this.#child = child;
    this.version = version;
  }

  /** Rejects if the process cannot be started, or cannot load NVRTC. */
  static async start({ library, builtins }: NvrtcInstallation): Promise<NvrtcProcess> {
    const koffi = createRequire(import.meta.url).resolve('koffi');
    const child = spawn(process.execPath, ['-e', nvrtcProcessText, koffi, library, builtins], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      // Not in the terminal's process group, so that an interrupt of this process may let it finish
      // first.
      detached: true,
      env: { ...process.env, NODE_OPTIONS: '', ELECTRON_RUN_AS_NODE: '1' },
    });
    // An error between requests is reported by the next request.
    child.on('error', () => undefined);
    const first = await answerOf(child);
    if (first.kind === 'ready') return new NvrtcProcess(child, first.version);
    child.kill();
    throw new Error(first.kind === 'failed' ? first.problem : 'it replied without being asked');
  }

  /** Rejects if the process has ended, or ends meanwhile. */
  async compile(program: NvrtcProgram): Promise<NvrtcOutcome> {
    const answer = answerOf(this.#child);
    // If it cannot be sent, the process has ended, and the reply rejects for that reason.
    this.#child.send(program, () => undefined);
    const outcome = await answer;
    if (outcome.kind === 'compiled' || outcome.kind === 'refused') return outcome;
    throw new Error(outcome.kind === 'failed' ? outcome.problem : 'it begins anew');
  }

  /** True if it accepts another request. */
  get isAlive(): boolean {
    return this.#child.connected;
  }

  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }
}

/**
 * Returns the next message. The child keeps this process alive only while a message is being waited
 * for.
 */
async function answerOf(child: ChildProcess): Promise<FromNvrtc> {
  child.ref();
  child.channel?.ref();
  const listeners: (readonly [string, (...args: readonly unknown[]) => void])[] = [];
  try {
    return await new Promise((resolve, reject) => {
      const on = (event: string, listener: (...args: readonly unknown[]) => void): void => {
        child.on(event, listener);
        listeners.push([event, listener]);
      };
      const end = (problem: string): void => reject(new Error(problem));
      on('message', (message) => {
        if (isFromNvrtc(message)) resolve(message);
        else end('its reply has an unknown form');
      });
      on('error', (error) => end(error instanceof Error ? error.message : 'it cannot be started'));
      on('exit', (code, signal) =>
        end(`it ended with ${typeof signal === 'string' ? signal : `code ${Number(code)}`}`),
      );
      if (child.exitCode !== null || child.signalCode !== null) end('it has ended');
    });
  } finally {
    for (const [event, listener] of listeners) child.off(event, listener);
    child.unref();
    child.channel?.unref();
  }
}

function isFromNvrtc(message: unknown): message is FromNvrtc {
  if (typeof message !== 'object' || message === null) return false;
  const of = (name: string): unknown => Reflect.get(message, name);
  switch (of('kind')) {
    case 'compiled':
      return of('bytes') instanceof Uint8Array;
    case 'refused':
      return typeof of('result') === 'number' && typeof of('messages') === 'string';
    case 'ready':
      return typeof of('version') === 'number';
    case 'failed':
      return typeof of('problem') === 'string';
    default:
      return false;
  }
}
