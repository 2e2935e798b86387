import { Command, CommanderError } from 'commander';
import { checkCommand } from './check/check-command.ts';
import type { CheckEngine } from './check/check-engine.ts';
import { colorsFor } from './output/colors.ts';
import { doctorCommand } from './doctor-command.ts';
import { emitCommand } from './emit-command.ts';
import { explainCommand } from './explain/explain-command.ts';
import { errorText, explainHint } from './error-text.ts';
import { exitCodesText } from './help/exit-codes.ts';
import { helpJson } from './help/help-json.ts';
import { packageVersion } from './package-version.ts';
import { noHeartbeat, type StartsHeartbeat } from './output/heartbeat.ts';
import { printError, printOut } from './output/print.ts';
import { withStandIns } from './module/include-folder.ts';
import { includePathCommand } from './ptx/include-path-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { predictCommand } from './predict/predict-command.ts';
import { profileCommand } from './profile/profile-command.ts';
import { ptxCommand } from './ptx/ptx-command.ts';
import { relaxCommand } from './relax/relax-command.ts';
import { repairCommand } from './repair/repair-command.ts';
import { runCommand } from './run/run-command.ts';
import { addShared } from './shared-options.ts';
import { tuneCommand } from './tune/tune-command.ts';
import { UsageError } from './usage-error.ts';

const FAILED = 1;
const MISUSED = 2;

/** The commands that compile CUDA C++. */
const takesCuda: ReadonlySet<string> = new Set(['run', 'check', 'predict', 'emit', 'ptx', 'relax', 'repair']);

/**
 * Runs the command line, and returns the exit code: 0 for success, 1 for an error or finding, 2 for
 * wrong usage, 3 if a check reached a bound. `engine` replaces the simulator's checker. `beats`
 * reports progress while a command is busy.
 */
export async function runCommandLine(
  argv: readonly string[],
  engine?: CheckEngine,
  beats: StartsHeartbeat = noHeartbeat,
): Promise<number> {
  let exitCode = 0;
  const setExitCode = (code: number): void => {
    exitCode = code;
  };
  // The arguments after -- are for the compiler of a .cu file.
  const dashes = argv.indexOf('--');
  const words = dashes < 0 ? argv : argv.slice(0, dashes);
  const given = dashes < 0 ? [] : argv.slice(dashes + 1);
  const compilerFlags = words.includes('--stand-in') ? withStandIns(given) : given;
  const program = new Command('nccl-ts')
    .description('Run, check and inspect kernels, written in TypeScript, that communicate between GPUs.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .addCommand(runCommand(compilerFlags))
    .addCommand(checkCommand(setExitCode, engine, compilerFlags, beats))
    .addCommand(emitCommand(compilerFlags))
    .addCommand(ptxCommand(compilerFlags))
    .addCommand(includePathCommand())
    .addCommand(predictCommand(compilerFlags))
    .addCommand(relaxCommand(compilerFlags))
    .addCommand(repairCommand(setExitCode, compilerFlags))
    .addCommand(profileCommand())
    .addCommand(tuneCommand())
    .addCommand(doctorCommand())
    .addCommand(explainCommand())
    .addCommand(mcpCommand(setExitCode))
    .addHelpText('after', `\n${exitCodesText()}\n\nnccl-ts --help --json prints all commands and options as JSON.`);
  for (const command of program.commands.filter((one) => takesCuda.has(one.name()))) {
    addShared(command, { standIn: {} });
  }
  for (const command of [program, ...program.commands]) {
    command.configureOutput({ writeOut: printOut, writeErr: printError });
    command.exitOverride().showHelpAfterError(`(${commandName(command)} --help lists the options)`);
  }
  const asked = helpAsJson(words.slice(2));
  if (asked !== undefined && isKnown(program, asked.command)) {
    printOut(`${JSON.stringify(helpJson(program, asked.command), undefined, 2)}\n`);
    return 0;
  }
  try {
    await program.parseAsync(words);
    return exitCode;
  } catch (error) {
    // Commander has already printed its own message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : MISUSED;
    printError(`${errorText(error, colorsFor(process.stderr))}\n`);
    const hint = explainHint(error);
    // Only for people, because programs use the code.
    if (hint !== undefined && process.stderr.isTTY) printError(`${colorsFor(process.stderr).dim(hint)}\n`);
    return error instanceof UsageError ? MISUSED : FAILED;
  }
}

/** Returns the command whose help is asked for as JSON, if it is: all of them if none is named. */
function helpAsJson(words: readonly string[]): { readonly command: string | undefined } | undefined {
  const asksForHelp = words[0] === 'help' || words.includes('--help') || words.includes('-h');
  if (!asksForHelp || !words.includes('--json')) return undefined;
  return { command: words.find((word) => word !== 'help' && !word.startsWith('-')) };
}

function isKnown(program: Command, name: string | undefined): boolean {
  return name === undefined || program.commands.some((one) => one.name() === name);
}

function commandName(command: Command): string {
  return command.parent === null ? command.name() : `${command.parent.name()} ${command.name()}`;
}
