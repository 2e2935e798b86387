/**
 * Weakens one order, or removes one barrier, fence or flush of the example kernels in TypeScript,
 * repairs those that become wrong, and says at which place among the repairs the original is.
 *
 * npx tsx --conditions=@nccl-ts/source repair-programs.ts [--patience 20] [--minutes 30] [--out FILE]
 */
import type { HostProgram } from '@nccl-ts/checker';
import { repairProgram } from '@nccl-ts/relax';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
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

const examples = fileURLToPath(new URL('..', import.meta.url));
// Below the examples, so that imports find the packages.
const folder = join(examples, '.repairs');
const writeResults = resultsFile(values.out);
const results: Record<string, unknown>[] = [];
const tally = { mutants: 0, wrong: 0, repaired: 0, first: 0, amongThree: 0, silencing: 0 };
const until = performance.now() + 60_000 * Number(values.minutes);
let count = 0;

mkdirSync(folder, { recursive: true });
try {
  for (const mutant of kernels.flatMap(mutantsOf)) {
    if (performance.now() > until) break;
    tally.mutants++;
    const { file, line, original, made } = mutant;
    const lines = textOf(file).split('\n');
    lines[line - 1] = made;
    const { path, host } = await loaded(lines.join('\n'));
    const begin = performance.now();
    const { finding, repairs, reason, checks } = await repairProgram(
      {
        host,
        textOf: (one) => (one === path ? lines.join('\n') : undefined),
        load: async ({ text }) => (await loaded(text)).host,
      },
      { ranks: [2, 4], launch: { grid: 2, block: 64 }, patience: Number(values.patience) },
    );
    if (finding === undefined) continue;
    tally.wrong++;
    const isOriginal = repairs.map(({ text }) => bare(text) === bare(textOf(file)));
    const at = isOriginal.indexOf(true) + 1;
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
} finally {
  rmSync(folder, { recursive: true });
}
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

/** Writes a module with a text, and loads it. */
async function loaded(text: string): Promise<{ readonly path: string; readonly host: HostProgram }> {
  const path = join(folder, `${count++}.ts`);
  writeFileSync(path, text);
  const module: unknown = await import(pathToFileURL(path).href);
  const host: unknown = typeof module === 'object' && module !== null ? Reflect.get(module, 'host') : undefined;
  if (!isHost(host)) throw new TypeError(`${basename(path)} exports no function host`);
  return { path, host };
}

function isHost(value: unknown): value is HostProgram {
  return typeof value === 'function';
}
