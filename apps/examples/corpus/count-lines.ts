/**
 * Counts the lines of each launch that a person wrote, beside those that `nccl-ts ptx --write`
 * writes for the same entry: `npx tsx count-lines.ts FOLDER`, with the PTX files in the folder, and
 * the sources where the PTX says.
 */
import { at } from '@nccl-ts/core';
import { readdirSync, readFileSync } from 'node:fs';
import { sim } from '@nccl-ts/backend-sim';
import { entryFacts, entryOf, firstHarness, isHarness, planLaunch, probeLaunch, readPtxModule } from '@nccl-ts/harness';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('which folder has the PTX? npx tsx count-lines.ts FOLDER');

const source = (path: string) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
};

/** The lines of code, with each argument of the kernel on a line of its own. */
function linesOf(text: string): readonly string[] {
  return text
    .replaceAll(/^import [^;]*;$/gm, '')
    .split('\n')
    .filter((line) => line.trim() !== '' && !/^ *(?:\/\*\*|\*|\/\/)/.test(line))
    .flatMap((line) => {
      const args = /^ *(args: .*?\[)(.+)\],$/.exec(line);
      return args === null ? line.trim() : [args[1] ?? '', ...elementsOf(args[2] ?? ''), '],'];
    });
}

/** The elements of a list, with their commas. */
function elementsOf(list: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i <= list.length; i++) {
    const c = list[i];
    if (c !== undefined && '([{'.includes(c)) depth++;
    if (c !== undefined && ')]}'.includes(c)) depth--;
    if (c !== undefined && (c !== ',' || depth > 0)) continue;
    found.push(`${list.slice(from, i).trim()},`);
    from = i + 1;
  }
  return found;
}

/** The number of lines of `launch` that are not in `written`, in its order. */
function added(written: readonly string[], launch: readonly string[]): number {
  let row = Array.from({ length: launch.length + 1 }, () => 0);
  for (const line of written) {
    const next = [0];
    for (const [i, one] of launch.entries()) {
      next.push(one === line ? at(row, i) + 1 : Math.max(at(row, i + 1), at(next, i)));
    }
    row = next;
  }
  return launch.length - at(row, launch.length);
}

const median = (numbers: readonly number[]) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const here = new URL('.', import.meta.url);
const rows: { name: string; lines: number; byHand: number }[] = [];
for (const file of readdirSync(here).filter((one) => one.endsWith('.launch.ts'))) {
  const module: unknown = await import(new URL(file, here).href);
  const launch = typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
  if (!isHarness(launch) || launch.kernels !== undefined) continue;
  const first = { rank: 0, nRanks: launch.ranks ?? 2 };
  const kernel = typeof launch.kernel === 'function' ? launch.kernel(first) : launch.kernel;
  const wanted = typeof launch.entry === 'function' ? launch.entry(first) : launch.entry;
  if (kernel === undefined || wanted === undefined) continue;
  const text = readFileSync(`${folder}/${kernel}`, 'utf8');
  const ptx = readPtxModule(text, kernel);
  const entry = entryOf(ptx, wanted);
  const facts = entryFacts(ptx, entry, source);
  const probe = { entry: entry.name, text, name: kernel, backend: (ranks: number) => sim({ ranks, fuel: 2 ** 17 }) };
  const plan = await probeLaunch(planLaunch(facts), probe);
  const ours = readFileSync(new URL(file, here), 'utf8');
  const isCode = (line: string) => line.trim() !== '' && !/^import |^ *(?:\/\*\*|\*|\/\/)/.test(line);
  const lines = ours.split('\n').filter(isCode).length;
  const byHand = added(linesOf(firstHarness(facts, kernel, plan)), linesOf(ours));
  rows.push({ name: file.replace('.launch.ts', ''), lines, byHand });
  console.log(`${file.replace('.launch.ts', '').padEnd(36)} ${lines} lines, ${byHand} by hand`);
}
console.log(
  `median of ${rows.length}: ${median(rows.map((one) => one.lines))} lines, ${median(rows.map((one) => one.byHand))} by hand`,
);
