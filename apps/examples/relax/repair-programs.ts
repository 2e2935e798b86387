/**
 * Weakens one order, or removes one barrier, fence or flush of the example kernels in TypeScript,
 * repairs those that become wrong with the built command, and says at which place among the repairs
 * the original is.
 *
 * npx tsx --conditions=@nccl-ts/source repair-programs.ts [--patience 20] [--minutes 30]
 * [--out FILE]
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { resultsFile } from './results-file.ts';

const { values } = parseArgs({
  options: {
    patience: { type: 'string', default: '20' },
    minutes: { type: 'string', default: '30' },
    out: { type: 'string' },
  },
});

const kernels = ['all-to-all.ts', 'dot-product.ts', 'ring-all-reduce.ts'];
const weaker: Readonly<Record<string, readonly string[]>> = {
  acq_rel: ['acquire', 'release', 'relaxed'],
  acquire: ['relaxed'],
  release: ['relaxed'],
};
const removable = /^[ ]+[\w$.]+(?:\(\))?\.(?:sync|flush)\(.*\);.*$|^[ ]+fence\(.*\);.*$/u;

interface Mutant {
  readonly file: string;
  readonly line: number;
  readonly original: string;
  readonly made: string;
}

/** The parts of the command's report that count. */
interface Report {
  readonly finding?: { readonly kind: string };
  readonly repairs: readonly {
    readonly changes: readonly { readonly does: string; readonly lines: readonly number[] }[];
    readonly silences: boolean;
    readonly proven: readonly string[];
    readonly text?: string;
  }[];
  readonly reason?: string;
  readonly checks: number;
}

const examples = fileURLToPath(new URL('..', import.meta.url));
const command = fileURLToPath(new URL('../../../packages/nccl-ts/bin/nccl-ts.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'nccl-ts-repairs-'));
symlinkSync(join(examples, 'node_modules'), join(folder, 'node_modules'), 'junction');
writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
const writeResults = resultsFile(values.out);
const results: Record<string, unknown>[] = [];
const tally = { mutants: 0, wrong: 0, repaired: 0, first: 0, amongThree: 0, silencing: 0 };
const until = performance.now() + 60_000 * Number(values.minutes);

for (const { file, line, original, made } of kernels.flatMap(mutantsOf)) {
  if (performance.now() > until) break;
  tally.mutants++;
  const lines = textOf(file).split('\n');
  lines[line - 1] = made;
  writeFileSync(join(folder, file), lines.join('\n'));
  const begin = performance.now();
  const { finding, repairs, reason, checks } = repaired(file);
  if (finding === undefined) continue;
  tally.wrong++;
  const at = repairs.findIndex(({ text }) => text !== undefined && bare(text) === bare(textOf(file))) + 1;
  if (repairs.length > 0) tally.repaired++;
  if (at === 1) tally.first++;
  if (at > 0) tally.amongThree++;
  if (repairs.some(({ silences }) => silences)) tally.silencing++;
  const result = {
    kernel: file,
    line,
    does: made === '' ? `without ${original.trim()}` : `${original.trim()} -> ${made.trim()}`,
    finding: finding.kind,
    at,
    repairs: repairs.map(({ changes }) => changes.map((one) => `${one.does} at ${one.lines.join()}`).join(' + ')),
    proven: repairs.map(({ proven }) => proven.length),
    ...(reason === undefined ? {} : { reason }),
    checks,
    seconds: Math.round((performance.now() - begin) / 100) / 10,
  };
  results.push(result);
  writeResults(tally, results);
  console.log(JSON.stringify(result));
}
rmSync(folder, { recursive: true });
console.log(tally);

function textOf(file: string): string {
  return readFileSync(join(examples, 'kernels', file), 'utf8');
}

function mutantsOf(file: string): readonly Mutant[] {
  return textOf(file)
    .split('\n')
    .flatMap((original, i): readonly Mutant[] => {
      if (original.trim().startsWith('*')) return [];
      const changed = [...original.matchAll(/(?<=')(?:acq_rel|acquire|release)(?=')/gu)].flatMap(({ 0: word, index }) =>
        (weaker[word] ?? []).map((to) => original.slice(0, index) + to + original.slice(index + word.length)),
      );
      const all = removable.test(original) ? ['', ...changed] : changed;
      return all.map((made) => ({ file, line: i + 1, original, made }));
    });
}

/** A text without comments at the ends of lines, and without blanks. */
function bare(text: string): string {
  return text.replaceAll(/\/\/.*$/gmu, '').replaceAll(/\s+/gu, '');
}

/** The report of the command. Exit code 1 says that there is no repair. */
function repaired(file: string): Report {
  const args = [command, 'repair', file, '--ranks', '2,4', '--block', '64', '--patience', values.patience, '--json'];
  let text: string;
  try {
    text = execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch (error) {
    const stdout: unknown = error instanceof Error ? Reflect.get(error, 'stdout') : undefined;
    if (typeof stdout !== 'string' || stdout === '') throw error;
    text = stdout;
  }
  const report: unknown = JSON.parse(text);
  if (!isReport(report)) throw new TypeError('the command printed no report');
  return report;
}

function isReport(value: unknown): value is Report {
  return typeof value === 'object' && value !== null && 'repairs' in value;
}
