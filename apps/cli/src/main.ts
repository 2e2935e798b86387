import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import pc from 'picocolors';
import { isNcclError } from '@nccl-ts/core';
import { emitCommand } from './emit-command.ts';
import { runCommand } from './run-command.ts';
import { UsageError } from './usage-error.ts';

const FAILED = 1;
const MISUSED = 2;

/** The whole command line; answers the exit code. */
async function main(argv: readonly string[]): Promise<number> {
  const program = new Command('nccl-ts')
    .description('Kernels that communicate between GPUs, written in TypeScript: run them, look at them.')
    .version(versionOf(createRequire(import.meta.url)('../package.json')))
    .addCommand(runCommand())
    .addCommand(emitCommand())
    .showHelpAfterError('(--help shows what there is)')
    .exitOverride();
  for (const command of program.commands) command.exitOverride().showHelpAfterError('(--help shows what there is)');
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    return report(error);
  }
}

function report(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
  if (error instanceof UsageError) {
    console.error(`${pc.red('error:')} ${error.message}`);
    return MISUSED;
  }
  if (isNcclError(error)) console.error(`${pc.red(`error[${error.code}]:`)} ${error.message}`);
  else console.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return FAILED;
}

function versionOf(manifest: unknown): string {
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return known && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}

process.exitCode = await main(process.argv);
