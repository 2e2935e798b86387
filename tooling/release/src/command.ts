import { spawn } from 'node:child_process';
import process from 'node:process';

export interface CommandOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** The time limit in milliseconds. @default ten minutes */
  readonly timeout?: number;
}

export interface CommandOutcome {
  readonly status: number;
  /** The output of both streams, in order of arrival. */
  readonly output: string;
  /** Without the warnings that npm writes beside it. */
  readonly stdout: string;
}

/** Runs a command to its end. A command that cannot be started has the status 127. */
export async function run(command: string, words: readonly string[], options: CommandOptions): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const env = { ...process.env, ...options.env };
    const child = spawn(command, words, {
      cwd: options.cwd,
      env,
      timeout: options.timeout ?? 600_000,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let stdout = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        if (stream === child.stdout) stdout += text;
      });
    }
    child.once('error', (error) => resolve({ status: 127, output: String(error), stdout }));
    child.once('close', (code) => resolve({ status: code ?? 1, output, stdout }));
  });
}

/**
 * Returns what a command writes to stdout.
 *
 * @throws Error with its output if its status is not 0.
 */
export async function runOrThrow(command: string, words: readonly string[], options: CommandOptions): Promise<string> {
  const { status, output, stdout } = await run(command, words, options);
  if (status !== 0) throw new Error(`${command} ${words.join(' ')} ended with ${status}:\n${output}`);
  return stdout;
}
