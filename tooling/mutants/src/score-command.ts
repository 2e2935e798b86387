import { renameSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import process from 'node:process';
import { NcclError } from '@nccl-ts/core';
import { CleanTally, cleanPieces, cleanPrograms } from './clean-score.ts';
import { readRecords } from './committed.ts';
import { killedIn, sampleOf, type SampleOptions } from './default-sample.ts';
import { DefaultTally } from './default-score.ts';
import type { SubjectRecord } from './record.ts';
import { runPieces, type SendJob } from './run-pieces.ts';
import { isChosen } from './is-chosen.ts';
import { subjects } from './subjects.ts';

/** The options of both campaigns of the plain check. */
export interface ScoreOptions {
  readonly entry: URL;
  readonly workers: number;
  readonly minutes: number;
  /**
   * The file for the score, which is written every few seconds and at the end. If absent, no file
   * is written.
   */
  readonly json?: string | undefined;
  /** The record of the last campaign. @default that of the repository */
  readonly record?: string | undefined;
  /** The commit of the score, which is written to the file. */
  readonly commit?: string | undefined;
  /** The prefix of the names of programs. */
  readonly subject: string;
  readonly mutantSeconds: number;
  readonly subjectSeconds: number;
}

/** Checks mutants that are recorded as killed with the plain check. Returns the exit code. */
export async function scoreDefault(options: ScoreOptions, sample: SampleOptions): Promise<number> {
  const records = recordsOf(options).filter(({ subject }) => isChosen(subject, options.subject));
  const pieces = sampleOf(records, sample);
  const size = pieces.reduce((sum, { mutants }) => sum + mutants.length, 0);
  const tally = new DefaultTally({ of: killedIn(records), size, seed: sample.seed }, options);
  await runAndPrint(options, pieces, async (piece, ask) => tally.perform(piece, ask), {
    score: () => tally.score,
    text: () => {
      const { tried, killed, notKilled, warned, incomplete, lost, left } = tally.score;
      return `${tried} of ${size} checked: ${killed} killed, ${notKilled.length} not, ${warned.length} warned of, ${incomplete.length} incomplete; ${lost.length} lost, ${left} left`;
    },
  });
  const { notKilled, warned, incomplete, lost } = tally.score;
  for (const { subject, kernel, id, why } of [...notKilled, ...warned, ...incomplete, ...lost]) {
    console.log(`${subject}, ${kernel}, ${id}: ${why}`);
  }
  return lost.length > 0 ? 1 : 0;
}

/**
 * Checks every clean program from several seeds. Returns the exit code, which is 1 if there was any
 * finding.
 */
export async function scoreClean(
  options: ScoreOptions,
  least: { readonly seeds: number; readonly total: number },
): Promise<number> {
  const records = recordsOf(options);
  const programs = cleanPrograms(subjects, records).filter(({ name }) => isChosen(name, options.subject));
  const names = new Set(programs.map(({ name }) => name));
  const mutatedKernels = records
    .filter(({ subject }) => names.has(subject))
    .reduce((sum, { kernels }) => sum + kernels.length, 0);
  const seedsEach = Math.max(least.seeds, Math.ceil(least.total / Math.max(1, programs.length)));
  const pieces = cleanPieces(programs, seedsEach);
  const tally = new CleanTally(
    { programs: programs.length, mutatedKernels, seedsEach, planned: pieces.length },
    options.subjectSeconds,
    ({ subject, seed, by, said }) => console.log(`FINDING: ${subject}, seed ${seed}: ${by}: ${said}`),
  );
  await runAndPrint(options, pieces, async (piece, ask) => tally.perform(piece, ask), {
    score: () => tally.score,
    text: () => {
      const { checked, planned, left, proven, findings, incomplete } = tally.score;
      return `${checked} of ${planned} checked, ${proven} proven: ${findings.length} findings, ${incomplete.length} incomplete; ${left} left`;
    },
  });
  const { findings, incomplete } = tally.score;
  for (const { subject, seed, said } of incomplete) console.log(`incomplete: ${subject}, seed ${seed}: ${said}`);
  return findings.length > 0 ? 1 : 0;
}

/** Without a record it is unknown which mutants are killed and which programs are clean. */
function recordsOf({ record }: ScoreOptions): readonly SubjectRecord[] {
  const records = readRecords(record);
  if (records.length === 0) {
    throw new NcclError(
      'NCCL_INVALID_USAGE',
      'Cannot score the plain check because there is no record of a campaign here; name the survivors.json of the repository with --record.',
    );
  }
  return records;
}

interface ScoreOutput {
  readonly score: () => object;
  readonly text: () => string;
}

async function runAndPrint<T>(
  options: ScoreOptions,
  pieces: readonly T[],
  perform: (piece: T, ask: SendJob) => Promise<void>,
  { score, text: reported }: ScoreOutput,
): Promise<void> {
  const { entry, workers, minutes, json, commit } = options;
  const over = new AbortController();
  const stop = (): void => over.abort();
  const began = performance.now();
  const head = {
    commit: commit ?? 'not said',
    command: ['mutants', ...process.argv.slice(2)].join(' '),
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    machine: `${cpus().length} x ${cpus()[0]?.model.trim() ?? 'an unknown processor'}`,
    workers,
  };
  const report = (): void => {
    const seconds = Math.round((performance.now() - began) / 1000);
    if (json !== undefined) save(json, { ...head, wallSeconds: seconds, isCut: over.signal.aborted, ...score() });
    console.log(`${seconds} s: ${reported()}`);
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const deadline = Number.isFinite(minutes) ? setTimeout(stop, minutes * 60_000) : undefined;
  const ticking = setInterval(report, 5000);
  await runPieces(pieces, perform, { entry, workers, signal: over.signal });
  clearInterval(ticking);
  clearTimeout(deadline);
  process.off('SIGINT', stop);
  process.off('SIGTERM', stop);
  report();
}

/** A reader finds either the old or the new text, never a partial one. */
function save(file: string, value: object): void {
  writeFileSync(`${file}.part`, `${JSON.stringify(value, undefined, 1)}\n`);
  renameSync(`${file}.part`, file);
}
