import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { usualEffort } from './judge.ts';
import { rules } from './rules.ts';
import { resultsFile, savedCampaign, savedOf, type SavedCampaign } from './saved-campaign.ts';
import { foundText, show } from './show.ts';
import { countsText, kindsText, type Tally } from './tally.ts';
import { isCampaignTheme, programOf, type CampaignTheme } from './themes.ts';
import { work } from './worker.ts';

const usage = `Usage: campaign [OPTION ...]

Runs random programs through every engine of the checker, and tells where two of them disagree.

  --from SEED           the first seed (default: 1); seeds are independent, so machines can share a range
  --count N             how many programs (default: 1000)
  --workers N           processes (default: one for each core)
  --minutes N           stops after so many (default: no limit)
  --keep                writes what is known to results/THEME-FROM-COUNT.json after each 25 programs; goes on
                        with it where the file is there
  --json FILE           the same with a file of your own
  --theme NAME          the programs: ptx (PTX text of every kind), all (ptx, hybrid, network and bulk in turn),
                        or one theme of the kernel language: words, fences, messages, barriers, network, hosts,
                        single; fabric, hybrid (barriers) and bulk (kernels of PTX with bulk copies) only where
                        they are named
  --schedules N         of each sampled strategy (default: ${usualEffort.schedules})
  --bound N             executions of the graph engine (default: ${usualEffort.bound})
  --engine-seconds N    the most for the executions of the graph engine (default: 20)
  --program-seconds N   the most for one program (default: 150)
  --minimise N          programs of each rule that are made smaller (default: 3)
  --show SEED           prints the program of a seed (with its --theme), and what each engine says of it
  --replay FILE         judges the programs of a results file again, made smaller where they were
  --rules               prints the rules`;

const { values, positionals } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    count: { type: 'string', default: '1000' },
    workers: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: 'Infinity' },
    json: { type: 'string' },
    keep: { type: 'boolean', default: false },
    replay: { type: 'string' },
    theme: { type: 'string' },
    schedules: { type: 'string', default: String(usualEffort.schedules) },
    bound: { type: 'string', default: String(usualEffort.bound) },
    'engine-seconds': { type: 'string', default: '20' },
    'program-seconds': { type: 'string', default: '150' },
    minimise: { type: 'string', default: '3' },
    show: { type: 'string' },
    rules: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
});

const theme = themeOf(values.theme);
const chosen = theme === undefined ? {} : { theme };
const effort = {
  schedules: Number(values.schedules),
  bound: Number(values.bound),
  seconds: Number(values['engine-seconds']),
};

if (positionals[0] === 'worker') work();
else if (values.help) print(usage);
else if (values.rules) for (const { name, holds } of rules) print(`${name}: ${holds}`);
else if (values.show !== undefined)
  await show(programOf(Number(values.show), theme), { ...effort, again: Number(values.show) }, print);
else if (values.replay !== undefined) await replay(values.replay);
else await run();

function themeOf(name: string | undefined): CampaignTheme | undefined {
  if (name === undefined || isCampaignTheme(name)) return name;
  throw new RangeError(`There is no theme ${name}; see --help.`);
}

/** Judges the disagreements of a campaign again. */
async function replay(file: string): Promise<void> {
  const { tally } = savedOf(readFileSync(file, 'utf8'));
  for (const { seed, rule, program } of tally.found) {
    print(`seed ${seed}, ${rule}`);
    const disagreements = await show(program ?? programOf(seed, theme), { ...effort, again: seed }, print);
    if (disagreements > 0) process.exitCode = 1;
  }
}

async function run(): Promise<void> {
  const seed = Number(values.from);
  const programs = Number(values.count);
  const json = values.json ?? (values.keep ? resultsFile(theme, seed, programs) : undefined);
  const saved =
    json !== undefined && existsSync(json) ? savedOf(readFileSync(json, 'utf8'), { seed, programs }) : undefined;
  const known = saved?.tally;
  const over = new AbortController();
  const stop = (): void => over.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const minutes = Number(values.minutes);
  const deadline = Number.isFinite(minutes) ? setTimeout(stop, minutes * 60_000) : undefined;
  const began = performance.now();
  let reported = 0;
  const recorded = (tally: Tally): SavedCampaign =>
    savedCampaign(tally, process.argv.slice(2), (saved?.seconds ?? 0) + (performance.now() - began) / 1000);
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
    onFound: (found) => print(foundText(found, theme)),
    onPiece: (now) => {
      if (json !== undefined) save(json, recorded(now));
      if (performance.now() - reported < 10_000) return;
      reported = performance.now();
      print(`${Math.round((reported - began) / 1000)} s: ${progress(now)}`);
    },
  });
  clearTimeout(deadline);
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);
  if (json !== undefined) save(json, recorded(tally));
  print(`${Math.round((performance.now() - began) / 1000)} s: ${progress(tally)}`);
  for (const line of [...countsText(tally), ...kindsText(tally)]) print(`  ${line}`);
  if (tally.found.length > 0) process.exitCode = 1;
}

function progress({ judged, programs, complete, wrong, refused, notes, found }: Tally): string {
  return [
    `${judged} of ${programs} programs`,
    `${complete} explored completely, ${wrong} with an error, ${refused} refused`,
    `${found.length} disagreements, ${notes} notes`,
  ].join('; ');
}

/** A reader finds either the old or the new text, never a partial one. */
function save(file: string, campaign: SavedCampaign): void {
  writeFileSync(`${file}.part`, `${JSON.stringify(campaign)}\n`);
  renameSync(`${file}.part`, file);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
