import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The whole seconds of the slow test files, by their paths from the root. */
export type Durations = Readonly<Record<string, number>>;

/** A file that takes less has no row. */
const LEAST_SECONDS = 2;

/** The part of vitest's JSON report that this uses. */
interface Report {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[];
}

export function durationsFile(root: string): string {
  return join(root, 'tooling/vitest-projects/results/durations.json');
}

export function readDurations(root: string): Durations {
  const file = durationsFile(root);
  if (!existsSync(file)) return {};
  const durations: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isDurations(durations)) throw new TypeError(`${file} is no table of seconds; delete it and write it again`);
  return durations;
}

function isDurations(value: unknown): value is Durations {
  return (
    typeof value === 'object' && value !== null && Object.values(value).every((seconds) => typeof seconds === 'number')
  );
}

/** The report that `npm test` wrote last. */
export function readReport(root: string): Report {
  const file = join(root, '.vitest/results.json');
  const report: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isReport(report)) throw new TypeError(`${file} is no report of vitest; run npm test`);
  return report;
}

function isReport(value: unknown): value is Report {
  return typeof value === 'object' && value !== null && 'testResults' in value && Array.isArray(value.testResults);
}

/** The durations in a report, and those known of files that it does not have, the longest first. */
export function withReport(known: Durations, report: Report, root: string): Durations {
  const measured = new Map(
    report.testResults.map(({ name, startTime, endTime }) => [
      relative(root, name).replaceAll('\\', '/'),
      Math.round((endTime - startTime) / 1000),
    ]),
  );
  const rows = [...new Map([...Object.entries(known), ...measured])].filter(
    ([path, seconds]) => seconds >= LEAST_SECONDS && existsSync(join(root, path)),
  );
  return Object.fromEntries(rows.toSorted(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)));
}
