import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Tally } from './tally.ts';

/** A campaign as a file keeps it. */
export interface SavedCampaign {
  /** The commit of the code that ran, with `+` if files had changed since. */
  readonly commit: string;
  readonly command: string;
  /** The day of the last piece. */
  readonly date: string;
  readonly node: string;
  /** The seconds of all runs together. */
  readonly seconds: number;
  readonly tally: Tally;
}

/** The file in the results folder for these seeds. */
export function resultsFile(theme: string | undefined, seed: number, programs: number): string {
  return fileURLToPath(new URL(`../results/${theme ?? 'kernels'}-${seed}-${programs}.json`, import.meta.url));
}

export function savedCampaign(tally: Tally, args: readonly string[], seconds: number): SavedCampaign {
  return {
    commit: commitOfCode(),
    command: `campaign ${args.join(' ')}`,
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    seconds: Math.round(seconds),
    tally,
  };
}

/**
 * Parses a saved campaign.
 *
 * @throws TypeError if it is none, or one of other seeds than the expected ones
 */
export function savedOf(text: string, expected?: Pick<Tally, 'seed' | 'programs'>): SavedCampaign {
  const value: unknown = JSON.parse(text);
  if (!isSaved(value)) throw new TypeError('The file is no campaign.');
  if (expected !== undefined && (value.tally.seed !== expected.seed || value.tally.programs !== expected.programs)) {
    const { seed, programs } = expected;
    throw new TypeError(
      `The file does not belong to a campaign of ${programs} programs from seed ${seed}: choose another one.`,
    );
  }
  return value;
}

/** A quick check is enough, because only campaigns write these files. */
function isSaved(value: unknown): value is SavedCampaign {
  if (typeof value !== 'object' || value === null || !('tally' in value)) return false;
  const { tally } = value;
  return typeof tally === 'object' && tally !== null && 'done' in tally && 'found' in tally && 'kinds' in tally;
}

let known: string | undefined;

/** Git is asked once, because the code that runs does not change. */
function commitOfCode(): string {
  return (known ??= askGit());
}

function askGit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    const changed = git('status', '--porcelain', '--untracked-files=no', '--', ':/', ':!results') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? '+' : ''}`;
  } catch {
    return 'unknown';
  }
}
