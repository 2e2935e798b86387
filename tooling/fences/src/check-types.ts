import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { textAt } from './property.ts';
import type { FenceProgram } from './program.ts';
import type { Workshop } from './workshop.ts';

/** A problem in a block of code. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly message: string;
}

/** The compiler's errors for the programs under `strict`, at the lines of their Markdown files. */
export function checkTypes(programs: readonly FenceProgram[], { folder }: Workshop): readonly Problem[] {
  const manifest = fileURLToPath(import.meta.resolve('typescript/package.json'));
  const tsc = join(dirname(manifest), textAt(JSON.parse(readFileSync(manifest, 'utf8')), 'bin', 'tsc') ?? 'bin/tsc');
  const { stdout, stderr, status } = spawnSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const problems = [...stdout.matchAll(/^([^\s(]+)\((\d+),\d+\): (.*(?:\n .*)*)/gm)].map(
    ([, name = '', line = '', message = '']): Problem => {
      const program = programs.find((one) => one.name === name);
      if (program === undefined) return { file: name, line: Number(line), message };
      const { fence, before } = program;
      const own = Number(line) - before;
      if (own >= 1) return { file: fence.file, line: fence.line + own - 1, message };
      return { file: fence.file, line: fence.line, message: `in the code before it (line ${line}): ${message}` };
    },
  );
  if (status !== 0 && problems.length === 0) throw new Error(`The compiler failed: ${stdout}${stderr}`);
  return problems;
}
