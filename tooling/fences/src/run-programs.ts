import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import type { Problem } from './check-types.ts';
import { javascriptOf, type FenceProgram } from './program.ts';
import { textAt } from './property.ts';
import type { Workshop } from './workshop.ts';

/**
 * The time limit. No program of a README takes longer, and one that waits forever must not block
 * the rest.
 */
const MILLISECONDS = 120_000;

interface ProgramOutcome {
  readonly name: string;
  readonly printed: string;
  readonly error?: string;
}

/**
 * Runs every program that is not excluded, one after another in one process, and compiles the
 * kernels that it exports.
 */
export function runPrograms(programs: readonly FenceProgram[], workshop: Workshop): readonly Problem[] {
  const problems: Problem[] = [];
  const runnable: FenceProgram[] = [];
  for (const program of programs) {
    const { fence, name, row } = program;
    try {
      workshop.write(scriptName(name), javascriptOf(program.text, fence.language));
      if (row?.notRun === undefined) runnable.push(program);
    } catch (error) {
      problems.push({ ...fence, message: `the oldest supported Node rejects it: ${String(error)}` });
    }
  }
  const outcomes = outcomesOf(
    runnable.map(({ name }) => scriptName(name)),
    workshop.folder,
  );
  for (const { fence, name, row } of runnable) {
    const outcome = outcomes.find((one) => one.name === scriptName(name));
    if (outcome === undefined) problems.push({ ...fence, message: 'the run ended before it came to this program' });
    else if (outcome.error !== undefined) problems.push({ ...fence, message: outcome.error });
    else if (row?.prints !== undefined && !outcome.printed.includes(row.prints))
      problems.push({
        ...fence,
        message: `prints ${JSON.stringify(outcome.printed)}, and not ${JSON.stringify(row.prints)}`,
      });
  }
  return problems;
}

function scriptName(name: string): string {
  return name.endsWith('.mjs') ? name.replace(/\.mjs$/, '.run.mjs') : name.replace(/\.ts$/, '.run.mjs');
}

function outcomesOf(scripts: readonly string[], folder: string): readonly ProgramOutcome[] {
  const runner = join(import.meta.dirname, 'runner.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, [runner, ...scripts], {
    cwd: folder,
    encoding: 'utf8',
    timeout: MILLISECONDS,
  });
  const lines = stdout.split('\n').filter((line) => line.startsWith('{'));
  if (lines.length === 0 && scripts.length > 0) throw new Error(`The programs did not start: ${stderr}`);
  return lines.map((line) => {
    const outcome: unknown = JSON.parse(line);
    const error = textAt(outcome, 'error');
    return {
      name: textAt(outcome, 'name') ?? '',
      printed: textAt(outcome, 'printed') ?? '',
      ...(error === undefined ? {} : { error }),
    };
  });
}
