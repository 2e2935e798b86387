import { isNcclError } from '@nccl-ts/core';
import { runCommandLine } from './command-line.ts';
import { startHeartbeat } from './output/heartbeat.ts';
import { divertModuleOutput } from './output/module-output.ts';
import { printOutBy } from './output/print.ts';
import { watchOutput } from './output/watch-output.ts';

const FAILED = 1;

/** Runs the command line of this process, and sets its exit code. */
export async function runProcess(): Promise<void> {
  // Errors show the line of the user's module, which may be far below the check that throws.
  Error.stackTraceLimit = 50;

  let settled = false;

  process.once('beforeExit', () => {
    if (settled) return;
    // No event remains that could wake the program, and it has not ended.
    process.stderr.write('error: the program awaits a promise that never settles\n');
    process.exit(FAILED);
  });

  // A call that the host program did not await fails with it. The command reports the cause.
  process.on('unhandledRejection', (reason) => {
    if (isNcclError(reason) && reason.code === 'NCCLTS_ABORTED') return;
    process.stderr.write(`${reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)}\n`);
    process.exit(FAILED);
  });

  const output = watchOutput(process, () => {
    process.exitCode = FAILED;
  });
  printOutBy(divertModuleOutput(process));
  const exitCode = await runCommandLine(process.argv, undefined, startHeartbeat);
  process.exitCode = output.hasFailed ? FAILED : exitCode;
  settled = true;
}
