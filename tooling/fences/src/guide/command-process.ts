import { fork, type ChildProcess } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { GuideOutcome } from './follow-guide.ts';

const script = join(import.meta.dirname, '../../../../apps/cli/test/support/serve-commands.mjs');

/**
 * Runs the command lines of `nccl-ts` in a folder, in one process until a file there changes. A
 * process for each line takes longer to load the command than the line takes.
 */
export class CommandProcess {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string | undefined>>;
  #child: ChildProcess | undefined;
  #files: ReadonlyMap<string, string> = new Map();
  #lines = 0;

  constructor(folder: string, env: Readonly<Record<string, string | undefined>>) {
    this.#folder = folder;
    this.#env = env;
  }

  async run(args: readonly string[]): Promise<GuideOutcome> {
    const files = this.#stamps();
    // The process has loaded the file as it was.
    if ([...this.#files].some(([name, stamp]) => files.get(name) !== stamp)) this.stop();
    this.#files = files;
    const child = (this.#child ??= fork(script, { env: this.#env, execArgv: [], cwd: this.#folder }));
    const id = this.#lines++;
    return new Promise((resolve) => {
      const ended = (code: number | null): void => {
        this.#child = undefined;
        resolve({ code, output: 'the process has ended' });
      };
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        resolve(isAnswer(message) ? { code: message.code, output: message.stdout + message.stderr } : noAnswer);
      });
      child.send({ id, args, cwd: this.#folder, variables: {} }, (error) => {
        if (error !== null) ended(child.exitCode);
      });
    });
  }

  stop(): void {
    this.#child?.kill();
    this.#child = undefined;
  }

  /** By file outside `node_modules`: when it was written, and its size. */
  #stamps(): ReadonlyMap<string, string> {
    const names = readdirSync(this.#folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    return new Map(
      names.map(({ name }) => {
        const { mtimeMs, size } = statSync(join(this.#folder, name));
        return [name, `${mtimeMs} ${size}`];
      }),
    );
  }
}

const noAnswer: GuideOutcome = { code: null, output: 'the process gave no answer' };

function isAnswer(
  message: unknown,
): message is { readonly code: number; readonly stdout: string; readonly stderr: string } {
  return typeof message === 'object' && message !== null && 'code' in message && 'stdout' in message;
}
