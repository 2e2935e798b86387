import { createInterface } from 'node:readline';
import { isNcclError } from '@nccl-ts/core';
import { runCommandLine } from '../command-line.ts';
import { readStandardInputBy } from '../module/standard-input.ts';
import { keptHeartbeat } from '../output/heartbeat.ts';
import { divertModuleOutput } from '../output/module-output.ts';
import { printErrorBy, printOutBy } from '../output/print.ts';

/** A command line, and what it finds. */
interface ServedCommand {
  readonly words: readonly string[];
  readonly folder: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The standard input of the command. */
  readonly input: string;
}

/**
 * Runs command lines one after the other, for the Python package: each line of standard input is a
 * request, and each line of standard output an answer, with the exit code and what the command
 * printed. A process for each would load everything again. It ends with its input, and with its
 * parent, even in the middle of a check.
 */
export async function serveChecks(): Promise<void> {
  Error.stackTraceLimit = 50;
  const answer = divertModuleOutput(process);
  const beats = keptHeartbeat(process.ppid);
  process.on('unhandledRejection', (reason) => {
    if (isNcclError(reason) && reason.code === 'NCCLTS_ABORTED') return;
    process.stderr.write(`error: ${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}\n`);
    process.exit(1);
  });
  // Loaded while the caller still makes its program. A check reports it if they cannot be.
  void Promise.all([import('@nccl-ts/checker'), import('@nccl-ts/harness')]).catch(() => undefined);
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Number.POSITIVE_INFINITY })) {
    const request: unknown = JSON.parse(line);
    if (!isServedCommand(request)) throw new TypeError('a request must have words, a folder, variables and an input');
    let [out, err] = ['', ''];
    printOutBy((text) => {
      out += text;
    });
    printErrorBy((text) => {
      err += text;
    });
    readStandardInputBy(async () => request.input);
    process.chdir(request.folder);
    process.env = { ...request.variables };
    const code = await runCommandLine(['node', 'nccl-ts', ...request.words], undefined, beats);
    answer(`${JSON.stringify({ code, out, err })}\n`);
  }
}

function isServedCommand(value: unknown): value is ServedCommand {
  return typeof value === 'object' && value !== null && 'words' in value && 'folder' in value && 'variables' in value;
}
