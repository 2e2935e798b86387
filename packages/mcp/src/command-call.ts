import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Limits } from './limits.ts';
import { limitedProcess, type ProcessResult } from './limited-process.ts';
import { commandPath, ProgramFolder } from './program-folder.ts';

/** Runs commands of `nccl-ts`, one after another, so that the memory limit holds for all calls. */
export class CommandCalls {
  readonly #limits: Limits;
  #last: Promise<unknown> = Promise.resolve();

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Writes `files` into a new folder, and runs the command there. If it writes the file `result`,
   * the text of that file takes the place of its output.
   */
  async run(
    words: readonly string[],
    files: Readonly<Record<string, string>>,
    signal?: AbortSignal,
    result?: string,
  ): Promise<ProcessResult> {
    const turn = this.#last.then(async () => {
      using folder = new ProgramFolder(files);
      const ran = await limitedProcess([commandPath(), ...words], folder.path, this.#limits, signal);
      const relative = (text: string): string => text.replaceAll(`${folder.path}/`, '');
      const written = result === undefined || ran.exitCode !== 0 ? undefined : folder.read(result);
      return { ...ran, stdout: written ?? relative(ran.stdout), stderr: relative(ran.stderr) };
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/**
 * Returns the result of a tool: what the command prints, and its exit code. It is an error if the
 * command did not do what it was asked for: `isAnswer` tells which exit codes are answers.
 */
export function toolResult(
  { exitCode, stdout, stderr, ended }: ProcessResult,
  isAnswer: (exitCode: number) => boolean = (code) => code === 0,
): CallToolResult {
  const isError = exitCode === undefined || !isAnswer(exitCode);
  const texts = isError ? [stdout, stderr, ended] : [stdout];
  const text = texts.flatMap((part) => (part === undefined || part.trim() === '' ? [] : part.trimEnd())).join('\n');
  return {
    content: [{ type: 'text', text: text === '' ? 'The command printed nothing.' : text }],
    structuredContent: { exitCode: exitCode ?? null, ...(ended === undefined ? {} : { ended }) },
    ...(isError ? { isError } : {}),
  };
}

/** Returns a mistake in the arguments of a call as its result. */
export function misused(error: unknown): CallToolResult {
  if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
  return { content: [{ type: 'text', text: error.message }], isError: true };
}
