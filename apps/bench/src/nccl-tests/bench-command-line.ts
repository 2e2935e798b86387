import { CommanderError } from 'commander';
import { isNcclError, NCCL_VERSION } from '@nccl-ts/core';
import { benchBackend, type BenchBackend } from './bench-backend.ts';
import { benchCommand } from './bench-command.ts';
import type { BenchOptions, EnvironmentVariables } from './bench-options.ts';
import { BenchOutput, type TextOutput } from './bench-output.ts';
import { collectivesContender } from './collectives-contender.ts';
import type { Contender } from './contender.ts';
import { ncclContender } from './nccl-contender.ts';
import { showProgress } from './progress.ts';
import { bandwidthHolds } from './report/bench-report.ts';
import { runBench } from './run-bench.ts';
import { UsageError } from './usage-error.ts';

const FAILED = 1;
const MISUSED = 2;

/** The inputs and outputs of the command line, apart from files. */
export interface CommandStreams {
  readonly stdout: TextOutput;
  readonly stderr: TextOutput & { readonly isTTY: boolean };
  readonly env: EnvironmentVariables;
}

/**
 * Runs the command line, and returns the exit code. 0: success. 1: it failed, elements were wrong,
 * or the bandwidth is below NCCL_TESTS_MIN_BW. 2: wrong usage.
 */
export async function runBenchCommandLine(argv: readonly string[], surroundings: CommandStreams): Promise<number> {
  const { stdout, stderr } = surroundings;
  let exitCode = 0;
  const command = benchCommand(surroundings.env, async (options) => {
    exitCode = await measure(options, argv.slice(1), surroundings);
  })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
    })
    .showHelpAfterError('(nccl-ts-bench --help lists the options)');
  try {
    await command.parseAsync(argv);
    return exitCode;
  } catch (error) {
    // Commander has printed its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    stderr.write(`${errorText(error)}\n`);
    return error instanceof UsageError ? MISUSED : FAILED;
  }
}

async function measure(options: BenchOptions, args: readonly string[], surroundings: CommandStreams): Promise<number> {
  const { stdout, stderr, env } = surroundings;
  using progress = showProgress({
    isTTY: stderr.isTTY,
    write: (text: string | Uint8Array) => {
      stderr.write(String(text));
      return true;
    },
  });
  const context = { args, env, ncclVersion: NCCL_VERSION.code, stdout, stderr, progress };
  const output = new BenchOutput(options, context);
  try {
    const bench = benchBackend(options);
    await runBench(options, bench, contendersOf(options, bench), output);
  } catch (error) {
    await output.finish(messageOf(error));
    throw error;
  }
  await output.finish();
  const summary = output.summary();
  return summary.outOfBounds > 0 || bandwidthHolds(summary) === false ? FAILED : 0;
}

/** The contenders: this repository's collectives first, and then the others. */
function contendersOf({ algorithm, beside }: BenchOptions, { cudaWorld }: BenchBackend): readonly Contender[] {
  const own = collectivesContender(algorithm);
  if (cudaWorld === undefined) return [own];
  return [own, ...beside.map((name) => ncclContender(name, cudaWorld))];
}

function errorText(error: unknown): string {
  if (isNcclError(error)) return `error[${error.code}]: ${error.message}`;
  if (error instanceof UsageError) return `error: ${error.message}`;
  // An unexpected error, so print everything that helps to find it.
  return error instanceof Error ? (error.stack ?? error.message) : `error: ${String(error)}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
