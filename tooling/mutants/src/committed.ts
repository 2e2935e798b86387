import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SubjectRecord } from './record.ts';
import { survivorsText } from './survivors-text.ts';
import { trials } from './trials.ts';

const folder = join(import.meta.dirname, '..');
const data = join(folder, 'survivors.json');
const text = join(folder, 'SURVIVORS.md');

/**
 * The results of the last campaign. Empty if there was none. By default they come from the file of
 * the repository.
 *
 * @throws TypeError if the file was not written by a campaign.
 */
export function readRecords(file: string = data): readonly SubjectRecord[] {
  if (file === data && !existsSync(data)) return [];
  const records: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!areRecords(records)) throw new TypeError(`${file} was not written by a campaign.`);
  return records;
}

/** A quick check is enough, because only `writeRecords` writes them. */
function areRecords(value: unknown): value is readonly SubjectRecord[] {
  return (
    Array.isArray(value) && value.every((one: unknown) => typeof one === 'object' && one !== null && 'kernels' in one)
  );
}

/** SURVIVORS.md as it is in the repository. */
export function readText(): string {
  return readFileSync(text, 'utf8');
}

/** Writes a line for each program, and the text. */
export function writeRecords(records: readonly SubjectRecord[]): void {
  const lines = records.map((record) => JSON.stringify(record));
  writeFileSync(data, `[\n${lines.join(',\n')}\n]\n`);
  writeFileSync(text, survivorsText(records, trials));
}
