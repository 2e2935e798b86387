import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SubjectOutcome } from './outcome.ts';
import { survivorsText } from './survivors-text.ts';
import { trials } from './trials.ts';

const folder = join(import.meta.dirname, '..');
const data = join(folder, 'survivors.json');
const text = join(folder, 'SURVIVORS.md');

/** What the last campaign found; nothing where there was none. */
export function readOutcomes(): readonly SubjectOutcome[] {
  if (!existsSync(data)) return [];
  const outcomes: unknown = JSON.parse(readFileSync(data, 'utf8'));
  if (!areOutcomes(outcomes)) throw new TypeError(`${data} was not written by a campaign.`);
  return outcomes;
}

/** A glance: nobody but `writeOutcomes` writes them. */
function areOutcomes(value: unknown): value is readonly SubjectOutcome[] {
  return (
    Array.isArray(value) && value.every((one: unknown) => typeof one === 'object' && one !== null && 'kernels' in one)
  );
}

/** SURVIVORS.md as it is in the repository. */
export function readText(): string {
  return readFileSync(text, 'utf8');
}

export function writeOutcomes(outcomes: readonly SubjectOutcome[]): void {
  writeFileSync(data, `${JSON.stringify(outcomes, undefined, 1)}\n`);
  writeFileSync(text, survivorsText(outcomes, trials));
}
