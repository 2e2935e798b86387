import { alignCells, markdownTable } from '@nccl-ts/core';
import { bytesText, cellText } from './cell.ts';
import type { GateCounts } from './calibration.ts';
import type { Bar } from './goals.ts';
import { atLeast, fewest, type CellResult, type Status, type BarVerdict } from './judge.ts';

const statusTexts: Readonly<Record<Status, string>> = {
  holds: 'holds',
  fails: 'FAILS',
  notMeasured: 'not measured',
  noBar: 'no bar (far)',
};

const heads = ['row', 'of', 'ours', 'peer', 'ratio', 'gate', 'stretch', 'holds'] as const;

/**
 * Formats the table, with a line for each bar and the worst of its cells. The reasons for missing
 * measurements follow.
 */
export function reportLines(verdicts: readonly BarVerdict[]): readonly string[] {
  const reasons = verdicts.flatMap(({ bar, reason }) =>
    reason === undefined ? [] : [`row ${bar.row}: not measured: ${reason}`],
  );
  return [...table(heads, verdicts.map(verdictCells)), ...unique(reasons)];
}

/** A line for each cell of each bar. */
export function cellLines(verdicts: readonly BarVerdict[]): readonly string[] {
  const rows = verdicts.flatMap(({ bar, cells }) =>
    cells.map((result): readonly string[] => {
      const { cell, placement, ours, peer, value, spread } = result;
      return [
        bar.row,
        cellText(cell),
        placement,
        us(ours.us),
        peer === undefined ? '' : us(peer.us),
        nameOf(peer),
        valueText(bar, value),
        `x${spread.toFixed(2)}`,
        String(fewest(result)),
      ];
    }),
  );
  const columns = ['row', 'cell', 'cores', 'ours', 'peer', 'peer is', 'ratio', 'spread', 'rounds'];
  return table(
    columns,
    unique(rows.map((row) => row.join('\t'))).map((row) => row.split('\t')),
  );
}

export function gateLine({ accepted, rejected, lost, busy }: GateCounts): string {
  return `units: ${accepted} accepted, ${rejected} rejected, ${lost} given up; ${busy} calibrations found the machine busy`;
}

/**
 * The exit code. 0: all bars pass. 1: a bar fails. 2: a bar was not measured. 2 takes precedence,
 * because the rest is then unknown.
 */
export function exitCode(verdicts: readonly BarVerdict[]): 0 | 1 | 2 {
  // A bar that fails but is not measured everywhere has a reason too.
  if (verdicts.some(({ reason }) => reason !== undefined)) return 2;
  return verdicts.some(({ status }) => status === 'fails') ? 1 : 0;
}

/** Describes the range of a bar. */
export function barText({ what, ranks, places, bytes: [from, to], over, peers, placement }: Bar): string {
  const range = to === 0 ? '' : from === to ? ` ${bytesText(from)}` : ` ${bytesText(from)} to ${bytesText(to)}`;
  const place = to === 0 || places.length > 1 ? '' : ` ${places.join()}`;
  const beside = peers.length === 0 ? '' : ` vs ${peers.map(peerText).join(', ')}`;
  return `${what} N=${ranks.join(',')}${range}${place}${beside}${over === 'geomean' ? ', geomean' : ''}${placement === undefined ? '' : `, ${placement}`}`;
}

function peerText({ contender, settings, what }: Bar['peers'][number]): string {
  const setting = settings?.length === 1 ? ` ${settings.join()}` : '';
  return `${contender}${setting}${what === undefined ? '' : ` ${what}`}`;
}

function verdictCells({ bar, status, value, worst, stretch, cells }: BarVerdict): readonly string[] {
  const one = bar.over === 'each' ? worst : undefined;
  const at = one === undefined || cells.length < 2 ? '' : ` (${where(one)})`;
  return [
    bar.row,
    barText(bar),
    one === undefined ? '' : `${us(one.ours.us)}${at}`,
    one?.peer === undefined ? '' : `${us(one.peer.us)} ${nameOf(one.peer)}`,
    value === undefined ? '' : valueText(bar, value),
    bound(bar, bar.gate),
    bar.stretch === undefined ? '-' : `${bound(bar, bar.stretch)}${stretch ? ' reached' : ''}`,
    statusTexts[status],
  ];
}

function nameOf(peer: CellResult['peer']): string {
  if (peer === undefined) return '';
  const { contender, setting } = peer;
  return setting === '' || setting === contender ? contender : `${contender} ${setting}`;
}

function where({ cell: { ranks, bytes, place } }: CellResult): string {
  return `N=${ranks} ${bytesText(bytes)} ${place}`;
}

function bound(bar: Bar, number: number): string {
  return `${atLeast(bar) ? '>=' : '<='} ${number}${bar.value === 'us' ? ' us' : ''}`;
}

function valueText(bar: Bar, value: number): string {
  return bar.value === 'us' ? us(value) : `${value.toFixed(2)}x`;
}

function us(value: number): string {
  return `${Number(value.toPrecision(4))} us`;
}

function unique(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)];
}

function table(titles: readonly string[], rows: readonly (readonly string[])[]): readonly string[] {
  const [head = [], ...cells] = alignCells([titles, ...rows]);
  return markdownTable(head, cells).split('\n');
}
