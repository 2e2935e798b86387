import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { readRecords, writeRecords } from './committed.ts';
import type { SampleOptions } from './default-sample.ts';
import { isChosen } from './is-chosen.ts';
import { ledgerText, parseLedger } from './ledger.ts';
import { mergeOutcomes } from './merge-outcomes.ts';
import { CampaignPlan } from './plan.ts';
import { scoreClean, scoreDefault, type ScoreOptions } from './score-command.ts';
import { scoreOf } from './score.ts';
import { subjects } from './subjects.ts';
import { trials } from './trials.ts';
import { work } from './worker.ts';

const usage = `Usage: mutants [OPTION ...]

Mutates every kernel of every program, runs the mutants under check mode, and tells how many were found.

  --subject NAME,...     programs whose names begin so (default: all)
  --jobs N               processes (default: one for each core)
  --minutes N            stops after so many, with what is known by then; 0: does nothing more (default: no limit)
  --resume FILE          goes on with what such a file knows
  --out FILE             writes what is known, every 10 s and at the end
  --mutant-seconds N     the most for one mutant (default: 60)
  --subject-seconds N    the most for a program as it is (default: 240)
  --proof-runs N         looks whether one run of a survivor stands for all, and else goes through N runs of a tiny form (default: neither)
  --proof-seconds N      and seconds (default: 60)
  --cross-check          looks at one run of what was killed too: none may stand for all
  --default              instead: checks mutants that are recorded as killed with the plain check and its defaults
  --sample N               so many of them (default: all)
  --seed N                 the sample follows from it (default: 1)
  --first NAME             this program's mutants come first, one at a time; may be given several times
  --clean                instead: checks every program as it is with the plain check; there must be no finding
  --seeds N                from so many seeds at least (default: 20)
  --total N                programs times seeds, at least (default: 10000)
  --json FILE              with --default and --clean: writes the score, every 5 s and at the end
  --record FILE            the survivors.json to go by (default: that of the repository)
  --commit TEXT            stands in the score
  --workers N              as --jobs
  --write                SURVIVORS.md and survivors.json: programs of which all is known anew, the others as they are there`;

const { values, positionals } = parseArgs({
  options: {
    subject: { type: 'string', default: '' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    minutes: { type: 'string', default: 'Infinity' },
    resume: { type: 'string' },
    out: { type: 'string' },
    'mutant-seconds': { type: 'string', default: '60' },
    'subject-seconds': { type: 'string', default: '240' },
    'proof-runs': { type: 'string' },
    'proof-seconds': { type: 'string', default: '60' },
    'cross-check': { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    default: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', multiple: true },
    clean: { type: 'boolean', default: false },
    seeds: { type: 'string', default: '20' },
    total: { type: 'string', default: '10000' },
    json: { type: 'string' },
    record: { type: 'string' },
    commit: { type: 'string' },
    workers: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
  allowPositionals: true,
});

if (positionals[0] === 'worker') work();
else if (values.help) console.log(usage);
else if (values.default) process.exitCode = await scoreDefault(scoreOptions(), sampleOptions());
else if (values.clean) {
  process.exitCode = await scoreClean(scoreOptions(), { seeds: Number(values.seeds), total: Number(values.total) });
} else await run();

function scoreOptions(): ScoreOptions {
  const { json, record, commit, subject } = values;
  return {
    entry: new URL(import.meta.url),
    workers: Number(values.workers ?? values.jobs),
    minutes: Number(values.minutes),
    json,
    record,
    commit,
    subject,
    mutantSeconds: Number(values['mutant-seconds']),
    subjectSeconds: Number(values['subject-seconds']),
  };
}

function sampleOptions(): SampleOptions {
  const { sample, seed, first } = values;
  return { size: sample === undefined ? undefined : Number(sample), seed: Number(seed), first };
}

async function run(): Promise<void> {
  const limits = {
    subjectSeconds: Number(values['subject-seconds']),
    mutantSeconds: Number(values['mutant-seconds']),
    proofRuns: values['proof-runs'] === undefined ? undefined : Number(values['proof-runs']),
    proofSeconds: Number(values['proof-seconds']),
    crossCheck: values['cross-check'],
  };
  const chosen = subjects.filter(({ name }) => isChosen(name, values.subject));
  const known = values.resume === undefined ? undefined : parseLedger(readFileSync(values.resume, 'utf8'));
  const plan = new CampaignPlan(chosen, trials, limits, known);
  const began = performance.now();
  const over = new AbortController();
  const stop = (): void => over.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const minutes = Number(values.minutes);
  const deadline = Number.isFinite(minutes) ? setTimeout(stop, minutes * 60_000) : undefined;
  const report = (): void => {
    if (values.out !== undefined) save(values.out, ledgerText(plan.ledger));
    console.log(`${Math.round((performance.now() - began) / 1000)} s: ${progress(plan)}`);
  };
  const ticking = setInterval(report, 10_000);
  if (minutes > 0) {
    await runCampaign(plan, { entry: new URL(import.meta.url), jobs: Number(values.jobs), signal: over.signal });
  }
  clearInterval(ticking);
  clearTimeout(deadline);
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);
  report();
  if (values.write) write(plan);
}

function progress(plan: CampaignPlan): string {
  const mutants = plan.ledger.subjects.flatMap(({ kernels }) => kernels.flatMap((kernel) => kernel.mutants));
  const of = (kind: string): number => mutants.filter(({ fate }) => fate?.kind === kind).length;
  const checked = (contradicted: boolean): number => mutants.filter((one) => one.contradicted === contradicted).length;
  const { subjects: unlisted, mutants: untried } = plan.left;
  return [
    `${plan.ledger.subjects.length} programs, ${mutants.length} mutants`,
    `${of('killed')} killed, ${of('survived')} survived, ${of('unreached')} unreached, ${of('unknown')} unknown`,
    ...(plan.limits.crossCheck ? [`${checked(false)} of those killed checked, ${checked(true)} CONTRADICTED`] : []),
    `left: ${unlisted} programs, ${untried} mutants`,
  ].join('; ');
}

/** A reader finds either the old or the new text, never a partial one. */
function save(file: string, text: string): void {
  writeFileSync(`${file}.part`, text);
  renameSync(`${file}.part`, file);
}

/** Replaces the earlier results by the new ones, and keeps the results of the other programs. */
function write(plan: CampaignPlan): void {
  const names = subjects.map(({ name }) => name);
  const merged = mergeOutcomes(names, readRecords(), plan.ledger);
  writeRecords(merged);
  console.log(scoreOf(merged));
}
