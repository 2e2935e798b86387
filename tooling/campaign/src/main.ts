import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { generateBulk } from './bulk-program.ts';
import { bulkText } from './bulk-text.ts';
import { runCampaign } from './campaign.ts';
import { generate, isTheme, type Theme } from './generate.ts';
import { judge, judgeBulk, usualEffort, type JudgeOptions, type Judgement } from './judge.ts';
import { moduleText } from './module-text.ts';
import { rules } from './rules.ts';
import { countsText, parseTally, type Found, type Tally } from './tally.ts';
import { work } from './worker.ts';

const usage = `Usage: campaign [OPTION ...]

Runs random programs through every engine of the checker, and tells where two of them disagree.

  --programs N          how many programs (default: 1000)
  --seed N              the first seed (default: 1); seeds are independent, so machines can share a range
  --workers N           processes (default: one for each core)
  --minutes N           stops after so many (default: no limit)
  --json FILE           writes what is known after each piece; goes on with it where the file is there
  --theme NAME          only programs of one theme: words, fences, messages, barriers, network, hosts, single;
                        fabric and bulk (kernels of PTX with bulk copies) only where they are named
  --schedules N         of each sampled strategy (default: ${usualEffort.schedules})
  --bound N             executions of the graph engine (default: ${usualEffort.bound})
  --program-seconds N   the most for one program (default: 60)
  --minimise N          programs of each rule that are made smaller (default: 3)
  --show SEED           prints the program of a seed, and what each engine says of it
  --rules               prints the rules`;

const { values, positionals } = parseArgs({
  options: {
    programs: { type: 'string', default: '1000' },
    seed: { type: 'string', default: '1' },
    workers: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: 'Infinity' },
    json: { type: 'string' },
    theme: { type: 'string' },
    schedules: { type: 'string', default: String(usualEffort.schedules) },
    bound: { type: 'string', default: String(usualEffort.bound) },
    'program-seconds': { type: 'string', default: '60' },
    minimise: { type: 'string', default: '3' },
    show: { type: 'string' },
    rules: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
});

const theme = themeOf(values.theme);
const chosen = theme === undefined ? {} : { theme };
const effort = { schedules: Number(values.schedules), bound: Number(values.bound) };

if (positionals[0] === 'worker') work();
else if (values.help) print(usage);
else if (values.rules) for (const { name, holds } of rules) print(`${name}: ${holds}`);
else if (values.show !== undefined) await show(Number(values.show));
else await run();

function themeOf(name: string | undefined): Theme | 'bulk' | undefined {
  if (name === undefined || name === 'bulk' || isTheme(name)) return name;
  throw new RangeError(`There is no theme ${name}; see --help.`);
}

async function run(): Promise<void> {
  const { json } = values;
  const seed = Number(values.seed);
  const programs = Number(values.programs);
  const known =
    json !== undefined && existsSync(json) ? parseTally(readFileSync(json, 'utf8'), seed, programs) : undefined;
  const over = new AbortController();
  const stop = (): void => over.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const minutes = Number(values.minutes);
  const deadline = Number.isFinite(minutes) ? setTimeout(stop, minutes * 60_000) : undefined;
  const began = performance.now();
  let reported = 0;
  const tally = await runCampaign({
    ...effort,
    ...chosen,
    ...(known === undefined ? {} : { known }),
    seed,
    programs,
    workers: Number(values.workers),
    programSeconds: Number(values['program-seconds']),
    minimised: Number(values.minimise),
    entry: new URL(import.meta.url),
    signal: over.signal,
    onFound: (found) => print(foundText(found)),
    onPiece: (now) => {
      if (json !== undefined) save(json, now);
      if (performance.now() - reported < 10_000) return;
      reported = performance.now();
      print(`${Math.round((reported - began) / 1000)} s: ${progress(now)}`);
    },
  });
  clearTimeout(deadline);
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);
  if (json !== undefined) save(json, tally);
  print(`${Math.round((performance.now() - began) / 1000)} s: ${progress(tally)}`);
  for (const line of countsText(tally)) print(`  ${line}`);
  if (tally.found.length > 0) process.exitCode = 1;
}

/** Prints a program, and judges it. */
async function shown(seed: number, options: JudgeOptions): Promise<Judgement> {
  if (theme === 'bulk') {
    const program = generateBulk(seed);
    print(bulkText(program));
    return judgeBulk(program, options);
  }
  const program = generate(seed, theme);
  print(moduleText(program));
  return judge(program, options);
}

/** Prints the result of each engine for one program. */
async function show(seed: number): Promise<void> {
  const { refused, observations, disagreements } = await shown(seed, { ...effort, again: seed });
  if (refused !== undefined) print(`it does not compile: ${refused}`);
  for (const { engine, verdict, thrown, claimsAll, races, errors, outcomes } of observations) {
    const all = claimsAll ? ', of all schedules' : '';
    print(`${engine}: ${thrown ?? verdict}${all}; ${[...errors].join(', ') || 'no error'}; ${outcomes.size} outcomes`);
    for (const race of races) print(`    ${race}`);
    if (outcomes.size <= 12) for (const outcome of outcomes) print(`    read: ${outcome}`);
  }
  for (const { rule, detail } of disagreements) print(`BROKEN ${rule}: ${detail}`);
}

function foundText({ seed, rule, detail, program }: Found): string {
  const text = program === undefined ? '' : `\n${moduleText(program)}`;
  return `seed ${seed} breaks ${rule}: ${detail}${text}`;
}

function progress({ judged, programs, complete, wrong, refused, notes, found }: Tally): string {
  return [
    `${judged} of ${programs} programs`,
    `${complete} explored completely, ${wrong} with an error, ${refused} refused`,
    `${found.length} disagreements, ${notes} notes`,
  ].join('; ');
}

/** A reader finds either the old or the new text, never a partial one. */
function save(file: string, tally: Tally): void {
  writeFileSync(`${file}.part`, `${JSON.stringify(tally)}\n`);
  renameSync(`${file}.part`, file);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
