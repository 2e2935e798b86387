import type { AuthorFile, Repair, RepairReport } from '@nccl-ts/relax';
import { Command } from 'commander';
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { integer } from '../options.ts';
import { printError, printOut } from '../output/print.ts';
import { relativePaths } from '../output/relative-paths.ts';
import { showProgress } from '../output/progress.ts';
import { expectWritable, writeFile } from '../output/write-file.ts';
import { addShared } from '../shared-options.ts';
import { UsageError } from '../usage-error.ts';
import { searchSeconds } from './search-seconds.ts';
import type { RepairFileOptions } from './repair-file.ts';

interface RepairCommandOptions extends Omit<RepairFileOptions, 'compilerFlags' | 'onProgress'> {
  readonly write?: string;
  readonly json?: true;
}

const notes = `
FILE exports function host, as for nccl-ts check, or describes the launches of
one PTX kernel, or is a .cu or .ptx file with --harness. If the check finds the
kernel wrong, the command looks for small changes after which it does not:
stronger orders, wider scopes, fences, waits for copies, barriers of threads,
and calls of barriers of the ranks. Each repair is checked in several programs,
as relax does. That of a TypeScript or .cu file is written in its source if
possible, and compiled and checked there.

--write writes the first repair: the source, if the repair is written there, or
else the PTX. A file that has changed since it was checked is not written, and no
file of an installed package is changed.

A repair that only silences is marked: it gives an order to plain data, so that
the race is no longer reported, and the kernel still does not wait.

Exit code 1: the kernel is wrong, and no repair was found that does more than
silence.

Examples:
  nccl-ts repair all-reduce.ts --ranks 2
  nccl-ts repair all-reduce.ts --write all-reduce.ts
  nccl-ts repair all-reduce.launch.ts
  nccl-ts repair all-reduce.cu --harness launch.ts --inputs data --outputs out
  nccl-ts repair all-reduce.ptx --harness launch.ts --write repaired.ptx`;

/** `nccl-ts repair FILE`: finds changes that mend a kernel. Sets exit code 1 if there are none. */
export function repairCommand(setExitCode: (code: number) => void, compilerFlags: readonly string[] = []): Command {
  const command = new Command('repair')
    .description('find small changes that mend a kernel which the check finds wrong; needs no GPU')
    .argument('<file>', 'a module with host or a harness, or a .cu or .ptx file with --harness');
  const onHost = { note: '(host)' };
  addShared(command, {
    ranks: { ...onHost, isList: true },
    lsaSize: onHost,
    local: onHost,
    grid: onHost,
    block: onHost,
  });
  addShared(command, { inputs: {}, outputs: {}, seconds: { default: searchSeconds.seconds } });
  command
    .option(
      '--patience <n>',
      'seconds after which the search for a first repair ends',
      integer(1, 3600),
      searchSeconds.patience,
    )
    .option('--write <file>', 'write the first repair');
  addShared(command, { harness: {} });
  return addShared(command, { json: {} })
    .addHelpText('after', notes)
    .action(async (file: string, options: RepairCommandOptions) => {
      const { write } = options;
      if (write !== undefined) await expectWritable('--write', write);
      let doing = '';
      const { repairFile } = await import('./repair-file.ts');
      using progress = showProgress(() => doing, process.stderr);
      const onProgress = (what: string): void => {
        doing = what;
      };
      const { report, file: repaired } = await repairFile(file, { ...options, compilerFlags, onProgress });
      progress.done();
      const refusal = write === undefined ? undefined : await whyNotWritten(write, report.repairs[0], repaired);
      // The search took long, so its report is printed in any case.
      await finish(report, refusal === undefined ? options : { ...options, write: undefined }, setExitCode);
      if (refusal !== undefined) throw new UsageError(`--write ${write}: ${refusal}`);
    });
}

/** Writes the first repair, if it is one, and the report. */
async function finish(
  report: RepairReport,
  { write, json }: Pick<RepairCommandOptions, 'json'> & { readonly write?: string | undefined },
  setExitCode: (code: number) => void,
): Promise<void> {
  const { repairJson, repairText } = await import('./repair-text.ts');
  const [first] = report.repairs;
  if (write !== undefined && first !== undefined && report.reason === undefined) {
    await writeFile('--write', write, first.source ?? first.text);
    printError(`wrote ${write}\n`);
  }
  printOut(json === true ? repairJson(report) : relativePaths(repairText(report)));
  if (report.reason !== undefined) setExitCode(1);
}

/**
 * Why a repair is not written. That of a source goes to its file, as it was when it was checked, or
 * to a new one. PTX goes to files of PTX alone.
 */
async function whyNotWritten(
  write: string,
  first: Repair | undefined,
  repaired: AuthorFile | undefined,
): Promise<string | undefined> {
  if (first?.isSource === false && !/\.ptx$/iu.test(write))
    return 'the repair is of the PTX, because the source has no place for it; name a file that ends in .ptx';
  if (first?.isSource !== true || repaired === undefined || !existsSync(write)) return undefined;
  const { path, text } = repaired;
  if (realpathSync(write) !== realpathSync(path))
    return `the file is there already, and the repair is of ${path}; name that file or a new one`;
  const isChanged = (await readFile(path, 'utf8')) !== text;
  return isChanged ? 'the file has changed since it was checked; run the command again' : undefined;
}
