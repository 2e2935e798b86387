import { alignCells } from '@nccl-ts/core';
import { renderTime } from '@nccl-ts/timeline';
import type { Colors } from '../output/colors.ts';
import { whatIfText } from './what-if-text.ts';
import type { WithWhatIfs } from './what-ifs.ts';

/** A predicted time, and its case. */
export interface PredictedRow extends WithWhatIfs {
  readonly ranks: number;
  /** The value of the size that varies, if there is one. */
  readonly size?: number;
  /** The algorithm and launch of a collective. */
  readonly choice?: string;
}

export interface PredictReport {
  /** A kernel, a host program or a collective. */
  readonly name: string;
  readonly machine: string;
  /** The name of the size that varies: `bytes`, or a parameter. */
  readonly sizeName?: string;
  readonly rows: readonly PredictedRow[];
}

const BAR = 40;

/** Returns a table, and a chart of the times. */
export function predictText({ name, machine, sizeName, rows }: PredictReport, colors: Colors): string {
  const hasChoice = rows.some(({ choice }) => choice !== undefined);
  const head = ['ranks', ...(sizeName === undefined ? [] : [sizeName]), 'time', ...(hasChoice ? ['choice'] : [])];
  const cells = rows.map((row) => [
    String(row.ranks),
    ...(sizeName === undefined ? [] : [sizeText(row.size)]),
    renderTime(row.nanoseconds),
    ...(hasChoice ? [row.choice ?? ''] : []),
    boundText(row),
  ]);
  const [title = '', ...lines] = alignCells([[...head, 'bounded by'], ...cells], (column) => column < head.length).map(
    (line) => line.join('  ').trimEnd(),
  );
  return [
    `${name} on ${machine}, predicted`,
    colors.dim(title),
    ...lines,
    ...(rows.length === 1 ? rows.flatMap(pathText) : []),
    ...(rows.length === 1 ? rows.flatMap(syncText) : []),
    ...rows.flatMap((row) => whatIfText(row, rows.length === 1 ? '' : labelOf(row, sizeName !== undefined))),
    ...(rows.length < 2 ? [] : ['', ...chart(rows, sizeName !== undefined)]),
  ].join('\n');
}

/** Returns the report for programs. Times are in nanoseconds. */
export function predictJson(report: PredictReport): string {
  // A timeline has a file of its own.
  return JSON.stringify(report, (key, value: unknown) => (key === 'timeline' ? undefined : value), 2);
}

/** Returns the largest causes, and the waits that explain them. */
function boundText({ bounds, nanoseconds, wait }: PredictedRow): string {
  const causes = bounds
    .slice(0, 3)
    .filter((bound, i) => i === 0 || bound.nanoseconds > nanoseconds / 10)
    .map((bound) => `${bound.name} ${Math.round((100 * bound.nanoseconds) / nanoseconds)} %`);
  const waits =
    wait === undefined ? [] : [`rank ${wait.rank} waits ${renderTime(wait.nanoseconds)} for rank ${wait.for}`];
  return [...causes, ...waits].join(', ');
}

/** The largest parts of the critical path that are listed. */
const MOST_PARTS = 8;

/** The critical path: what decided when the program ended, by line. */
function pathText({ path, nanoseconds }: PredictedRow): readonly string[] {
  const listed = path.slice(0, MOST_PARTS);
  const rest = path.slice(MOST_PARTS).reduce((sum, part) => sum + part.nanoseconds, 0);
  const line = (time: number, what: string): readonly string[] => [
    renderTime(time),
    `${Math.round((100 * time) / nanoseconds)} %`,
    what,
  ];
  const cells = listed.map(({ kind, name, at, nanoseconds: time }) =>
    line(time, [kind, name === kind ? '' : name, at === '' ? '' : `at ${at}`].filter((word) => word !== '').join(' ')),
  );
  if (rest > 0) cells.push(line(rest, `${path.length - MOST_PARTS} more parts`));
  return [
    '',
    'critical path',
    ...alignCells(cells, (column) => column < 2).map((row) => `  ${row.join('  ')}`.trimEnd()),
  ];
}

/** The costs on the critical path of the lines that synchronize. */
function syncText({ syncs, path, nanoseconds }: PredictedRow): readonly string[] {
  if (syncs.length === 0) return [];
  const percent = (time: number): string => `${Math.round((100 * time) / nanoseconds)} %`;
  const cells = syncs.map(({ at, kinds, nanoseconds: time }) => [
    renderTime(time),
    percent(time),
    `${at} ${kinds.join(', ')}`,
  ]);
  const rest =
    path.reduce((sum, part) => sum + part.nanoseconds, 0) - syncs.reduce((sum, one) => sum + one.nanoseconds, 0);
  cells.push([renderTime(rest), percent(rest), 'the rest']);
  return [
    '',
    'synchronization on the critical path',
    ...alignCells(cells, (column) => column < 2).map((row) => `  ${row.join('  ')}`.trimEnd()),
  ];
}

/** Draws bars whose length is the logarithm of the time. */
function chart(rows: readonly PredictedRow[], hasSize: boolean): readonly string[] {
  const times = rows.map(({ nanoseconds }) => nanoseconds);
  const least = Math.min(...times) / 2;
  const span = Math.log(Math.max(...times) / least);
  const labels = rows.map((row) => labelOf(row, hasSize));
  const width = Math.max(...labels.map((label) => label.length));
  return rows.map(({ nanoseconds }, i) => {
    const length = Math.max(1, Math.round((BAR * Math.log(nanoseconds / least)) / span));
    return `${(labels[i] ?? '').padStart(width)}  ${'█'.repeat(length)} ${renderTime(nanoseconds)}`;
  });
}

function labelOf({ ranks, size }: PredictedRow, hasSize: boolean): string {
  return `${ranks} ranks${hasSize ? `, ${sizeText(size)}` : ''}`;
}

function sizeText(size: number | undefined): string {
  if (size === undefined) return '';
  for (const [unit, value] of [
    ['G', 2 ** 30],
    ['M', 2 ** 20],
    ['K', 2 ** 10],
  ] as const) {
    if (size >= value && size % value === 0) return `${size / value}${unit}`;
  }
  return String(size);
}
