/**
 * Weakens one word, fence or barrier of the museum's mended kernels, repairs those that become
 * wrong, and says at which place among the repairs the original is.
 *
 * npx tsx --conditions=@nccl-ts/source repair-mutants.ts [--count 200] [--seed 1] [--folders a,b]
 * [--patience 8] [--minutes 30] [--out repair-mutants.json]
 */
import { check } from '@nccl-ts/checker';
import { entryOf, harnessProgram, ranksToCheck, readPtxModule, translate } from '@nccl-ts/harness';
import { edited, placesOf, repair } from '@nccl-ts/relax';
import { parseArgs } from 'node:util';
import { folders, museumKernel, type MuseumKernel } from './museum-kernels.ts';
import { resultsFile } from './results-file.ts';
import { likeness } from './same-kernel.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '200' },
    seed: { type: 'string', default: '1' },
    folders: { type: 'string' },
    patience: { type: 'string', default: '8' },
    minutes: { type: 'string', default: '30' },
    out: { type: 'string' },
  },
});

interface Mutant {
  readonly kernel: MuseumKernel;
  readonly line: number;
  readonly does: string;
  readonly kind: string;
  readonly text: string;
}

const mutants: Mutant[] = [];
for (const folder of values.folders?.split(',') ?? folders) {
  const kernel = await museumKernel(folder, 'mended');
  const module = readPtxModule(kernel.text, kernel.name);
  const { harness } = kernel;
  if (harness.kernels !== undefined || typeof harness.entry === 'function') continue;
  const { entry } = harness;
  for (const { span, line, instruction, kind, weakenings } of placesOf(module, entryOf(module, entry)))
    for (const { does, text: other } of weakenings)
      mutants.push({
        kernel,
        line,
        kind,
        does: `${does}: ${instruction}`,
        text: edited(kernel.text, [{ span, with: other }]),
      });
}

const writeResults = resultsFile(values.out);
const results: Record<string, unknown>[] = [];
const until = performance.now() + 60_000 * Number(values.minutes);
const tally = { wrong: 0, repaired: 0, first: 0, amongThree: 0, exactAmongThree: 0, silencing: 0 };
let tried = 0;
for (const { kernel, line, kind, does, text } of shuffled(mutants, Number(values.seed))) {
  if (tally.wrong >= Number(values.count) || performance.now() > until) break;
  tried++;
  const { harness, folder, name, residentCtas } = kernel;
  if (!(await isWrong(kernel, text))) continue;
  tally.wrong++;
  const [begin, used] = [performance.now(), process.cpuUsage()];
  const { finding, repairs, reason, checks } = await repair(harness, text, {
    name,
    patience: Number(values.patience),
    seconds: 15,
    ...(residentCtas === undefined ? {} : { residentCtas }),
  });
  const likenesses = repairs.map((one) => likeness(one.text, kernel.text));
  const at = likenesses.findIndex((one) => one !== 'different') + 1;
  if (repairs.length > 0) tally.repaired++;
  if (at === 1) tally.first++;
  if (at > 0) tally.amongThree++;
  if (likenesses.includes('same')) tally.exactAmongThree++;
  if (repairs.some(({ silences }) => silences)) tally.silencing++;
  const { user, system } = process.cpuUsage(used);
  const result = {
    kernel: folder,
    line,
    kind,
    does,
    finding: finding?.kind,
    missing: finding?.missing.map((one) => one.kind),
    at,
    likenesses,
    repairs: repairs.map(({ changes }) => changes.map((one) => `${one.does} at ${one.lines.join(',')}`).join(' + ')),
    proven: repairs.map(({ proven }) => proven.length),
    ...(reason === undefined ? {} : { reason }),
    checks,
    seconds: Math.round((performance.now() - begin) / 100) / 10,
    processorSeconds: Math.round((user + system) / 1e5) / 10,
  };
  results.push(result);
  write();
  console.log(JSON.stringify(result));
}
console.log(tally);

/** Writes what is known so far. */
function write(): void {
  const summary = {
    mutants: mutants.length,
    tried,
    ...tally,
  };
  writeResults(summary, results);
}

async function isWrong({ harness, name, residentCtas }: MuseumKernel, text: string): Promise<boolean> {
  const translated = translate(harness, text, { name });
  const machine = { ranks: ranksToCheck(harness)[0], local: harness.local, time: 15 };
  const given = residentCtas === undefined ? machine : { ...machine, residentCtas };
  const { findings } = await check(given, harnessProgram(harness, translated));
  return findings.some(({ severity }) => severity === 'error');
}

/** In an order that a seed decides. */
function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  let state = seed;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state;
  };
  return items
    .map((item) => ({ item, key: next() }))
    .toSorted((a, b) => a.key - b.key)
    .map(({ item }) => item);
}
