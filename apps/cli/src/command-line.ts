import { createRequire } from 'node:module';
import { Command, CommanderError } from 'commander';
import { colorsFor } from './colors.ts';
import { doctorCommand } from './doctor-command.ts';
import { emitCommand } from './emit-command.ts';
import { errorText } from './error-text.ts';
import { runCommand } from './run-command.ts';
import { UsageError } from './usage-error.ts';

const FAILED = 1;
const MISUSED = 2;

/** Does what the command line says, and answers the exit code: 0 done, 1 failed, 2 misused. */
export async function runCommandLine(argv: readonly string[]): Promise<number> {
  const program = new Command('nccl-ts')
    .description('Kernels that communicate between GPUs, written in TypeScript: run them, look at them.')
    .version(version(), '-V, --version', 'print the version')
    .addCommand(runCommand())
    .addCommand(emitCommand())
    .addCommand(doctorCommand())
    .addHelpText('after', '\nExit codes: 0 done, 1 the program or a kernel failed, 2 the command line is wrong.');
  for (const command of [program, ...program.commands]) {
    command.exitOverride().showHelpAfterError(`(${commandName(command)} --help shows what there is)`);
  }
  try {
    await program.parseAsync(argv);
    return 0;
  } catch (error) {
    // Commander has printed its own.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    process.stderr.write(`${errorText(error, colorsFor(process.stderr))}\n`);
    return error instanceof UsageError ? MISUSED : FAILED;
  }
}

function commandName(command: Command): string {
  return command.parent === null ? command.name() : `${command.parent.name()} ${command.name()}`;
}

function version(): string {
  const manifest: unknown = createRequire(import.meta.url)('../package.json');
  const known = typeof manifest === 'object' && manifest !== null && 'version' in manifest;
  return known && typeof manifest.version === 'string' ? manifest.version : 'unknown';
}
