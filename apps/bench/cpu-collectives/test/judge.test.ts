import { expect, test } from 'vitest';
import type { CoreDistance } from '../src/calibration.ts';
import type { BenchCell } from '../src/cell.ts';
import type { ContenderName } from '../src/contenders.ts';
import { barsWith, cellsOf, peerCell, sizes, type Bar, type RowId } from '../src/goals.ts';
import { judge, type BarVerdict } from '../src/judge.ts';
import { settingNames } from '../src/plan.ts';
import { geomean, samples, type Samples } from '../src/samples.ts';

const bars = barsWith(0);
const MIB = 1 << 20;
const ROUNDS = 3;
const nothingMissing = (): undefined => undefined;

function row(id: RowId, which = 0): Bar {
  const bar = bars.filter((one) => one.row === id)[which];
  if (bar === undefined) throw new Error(`row ${id} has no bar ${which}`);
  return bar;
}

function add(
  into: Samples,
  contender: ContenderName,
  cell: BenchCell,
  times: readonly number[],
  { setting = '', placement = 'near' }: { setting?: string; placement?: CoreDistance } = {},
): void {
  for (const [unit, us] of times.entries()) into.add({ contender, setting, cell, placement, us, unit });
}

/** Rounds of a peer of the bar, in all its settings. */
function addPeer(
  into: Samples,
  bar: Bar,
  cell: BenchCell,
  times: readonly number[],
  placement: CoreDistance = 'near',
): void {
  for (const peer of bar.peers)
    for (const setting of settingNames(peer, peerCell(peer, cell)))
      add(into, peer.contender, peerCell(peer, cell), times, { setting, placement });
}

/** Ours takes 10 us on every cell of a bar, and its peers `times` as long on the cells in turn. */
function beside(bar: Bar, times: readonly number[]): BarVerdict {
  const all = samples();
  for (const [i, cell] of cellsOf(bar, sizes).entries()) {
    add(all, 'ours', cell, [9, 10, 30]);
    const us = (times[i % times.length] ?? 1) * 10;
    addPeer(all, bar, cell, [us / 2, us, us * 9]);
  }
  return judge(bar, sizes, ROUNDS, all, nothingMissing);
}

test('the table of goals has gates and stretch goals for every row', () => {
  const table = bars.map(({ row: id, over, value, gate, stretch }) => [
    id,
    over,
    value,
    gate,
    ...(stretch === undefined ? [] : [stretch]),
  ]);
  expect(table).toEqual([
    ['1', 'each', 'speedUp', 1.8],
    ['1', 'geomean', 'speedUp', 2.2, 3],
    ['1', 'each', 'speedUp', 2.4],
    ['1', 'geomean', 'speedUp', 3, 4.5],
    ['1', 'each', 'speedUp', 1.9],
    ['1', 'geomean', 'speedUp', 2.7, 4.5],
    ['2', 'each', 'speedUp', 2],
    ['2', 'geomean', 'speedUp', 2.7, 4.5],
    ['2', 'each', 'speedUp', 3.1],
    ['2', 'geomean', 'speedUp', 4.2, 6.5],
    ['2', 'each', 'speedUp', 3.1],
    ['2', 'geomean', 'speedUp', 4, 6.5],
    ['3', 'each', 'speedUp', 1.3, 1.8],
    ['3', 'each', 'speedUp', 2.5, 3.5],
    ['3', 'each', 'speedUp', 5, 9],
    ['4', 'each', 'speedUp', 0.8, 0.95],
    ['5', 'each', 'speedUp', 0.4, 0.55],
    ['5', 'each', 'speedUp', 0.85, 1],
    ['5', 'each', 'speedUp', 0.45, 0.7],
    ['6', 'each', 'speedUp', 0.85, 1],
    ['6', 'each', 'speedUp', 0.85, 1],
    ['6', 'each', 'speedUp', 0.7, 0.9],
    ['6', 'each', 'speedUp', 0.7, 0.9],
    ['7', 'each', 'multiple', 1.6, 1.2],
    ['7', 'each', 'multiple', 1],
    ['8', 'each', 'multiple', 1.5],
    ['8b', 'each', 'us', 2, 1],
    ['9', 'each', 'us', 50, 1],
    ['10', 'each', 'speedUp', 1.3, 1.8],
    ['10', 'each', 'speedUp', 1, 1.3],
    ['11', 'each', 'speedUp', 1.4, 3],
    ['11', 'each', 'speedUp', 1.4, 3],
    ['12', 'each', 'speedUp', 4, 8],
    ['13', 'each', 'speedUp', 2.8, 8],
    ['launch', 'each', 'us', 30],
  ]);
});

test('a bar has sizes within the caches and beyond them', () => {
  expect(cellsOf(row('1'), sizes).map(({ bytes }) => bytes / MIB)).toEqual([1, 4, 16, 64]);
  expect(cellsOf(row('7'), sizes)).toEqual([{ what: 'barrier', ranks: 2, bytes: 0, place: 'in' }]);
  for (const bar of bars.filter(({ row: id }) => id === '6'))
    for (const { ranks, bytes, place } of cellsOf(bar, sizes))
      expect(ranks * bytes * (place === 'in' ? 1 : 2)).toBeGreaterThanOrEqual(256 * MIB);
});

test('a bar holds if its worst size does, by medians', () => {
  expect(beside(row('1'), [4, 1.8, 2, 9])).toMatchObject({ status: 'holds', value: 1.8 });
  const fails = beside(row('1'), [4, 1.79, 2, 9]);
  expect(fails).toMatchObject({ status: 'fails', worst: { cell: { bytes: 4 * MIB }, ours: { us: 10 } } });
  expect(fails.value).toBeCloseTo(1.79);
});

test('a bar may use a geometric mean, and has a stretch goal', () => {
  expect(beside(row('1', 1), [1.5, 6.1, 1.5, 6])).toMatchObject({ status: 'holds', stretch: true });
  expect(beside(row('1', 1), [1.5, 5.9, 1.5, 6])).toMatchObject({ status: 'holds', stretch: false });
  expect(beside(row('1', 1), [2.1, 2.2, 2.2, 2.2])).toMatchObject({ status: 'fails', stretch: false });
});

test("a bar compares with a peer's best setting, or the best of those it names", () => {
  const all = samples();
  for (const cell of cellsOf(row('1'), sizes)) {
    add(all, 'ours', cell, [10, 10, 10]);
    addPeer(all, row('1'), cell, [40, 40, 40]);
    add(all, 'openMpi', cell, [15, 15, 15, 15], { setting: 'withoutCma' });
  }
  expect(judge(row('1'), sizes, ROUNDS, all, nothingMissing)).toMatchObject({ status: 'fails', value: 1.5 });
  const named: Bar = { ...row('1'), peers: [{ contender: 'openMpi', settings: ['default'] }] };
  expect(judge(named, sizes, ROUNDS, all, nothingMissing)).toMatchObject({ status: 'holds', value: 4 });
});

test('a bar is unmeasured if its best setting has too few rounds or wins too few', () => {
  const hardly = (rounds: readonly number[], wanted: number): BarVerdict => {
    const all = samples();
    for (const cell of cellsOf(row('1'), sizes)) {
      add(
        all,
        'ours',
        cell,
        Array.from({ length: 9 }, () => 10),
      );
      for (const setting of settingNames({ contender: 'openMpi' }, cell))
        add(all, 'openMpi', cell, setting === 'withoutCma' ? rounds : Array.from({ length: 9 }, () => 40), { setting });
    }
    return judge(row('1'), sizes, wanted, all, nothingMissing);
  };
  expect(hardly([60, 60], 9)).toMatchObject({ status: 'notMeasured', value: undefined });
  expect(hardly([60, 60], 2)).toMatchObject({ status: 'holds', value: 4 });
  expect(hardly([60, 60, 60], 9)).toMatchObject({ status: 'holds', value: 4 });
  expect(hardly([30, 30, 30], 9)).toMatchObject({ status: 'notMeasured', value: 3 });
});

test('a bar compares only rounds of one placement', () => {
  const all = samples();
  const bar = row('13');
  for (const cell of cellsOf(bar, sizes)) {
    add(all, 'ours', cell, [10, 10, 10], { placement: 'far' });
    add(all, 'ours', cell, [1, 1], { placement: 'near' });
    add(all, 'plainJs', cell, [30, 30, 30], { placement: 'far' });
    add(all, 'plainJs', cell, [900], { placement: 'near' });
  }
  expect(judge(bar, sizes, ROUNDS, all, nothingMissing)).toMatchObject({ status: 'holds', value: 3 });
});

test('a bar for near cores ignores far ones, and prefers near rounds', () => {
  const bar = row('3');
  const far = samples();
  for (const cell of cellsOf(bar, sizes)) {
    add(far, 'ours', cell, [10, 10, 10], { placement: 'far' });
    addPeer(far, bar, cell, [10, 10, 10], 'far');
  }
  expect(judge(bar, sizes, ROUNDS, far, nothingMissing)).toMatchObject({ status: 'noBar', reason: undefined });
  for (const cell of cellsOf(bar, sizes)) {
    add(far, 'ours', cell, [10, 10, 10]);
    addPeer(far, bar, cell, [20, 20, 20]);
  }
  expect(judge(bar, sizes, ROUNDS, far, nothingMissing)).toMatchObject({ status: 'holds', value: 2 });
});

test("a memory bar divides the bytes that a collective touches by the reference's bandwidth", () => {
  const [inPlace, outOfPlace] = [row('6', 1), row('6', 3)];
  const all = samples();
  for (const bar of [inPlace, outOfPlace])
    for (const cell of cellsOf(bar, sizes))
      add(
        all,
        'ours',
        cell,
        Array.from({ length: 3 }, () => cell.ranks * 1000),
      );
  const reference = { ranks: 1, bytes: 256 * MIB } as const;
  const setting = 'memory';
  add(all, 'memory', { ...reference, what: 'add', place: 'in' }, [6000, 6000, 6000], { setting });
  add(all, 'memory', { ...reference, what: 'copy', place: 'out' }, [3000, 3000, 3000], { setting });
  // 2 x 64 MiB in 1 ms for each rank; 3 x 256 MiB in 6 ms is as fast, 2 x 256 MiB in 3 ms faster.
  expect(judge(inPlace, sizes, ROUNDS, all, nothingMissing).value).toBeCloseTo(1);
  expect(judge(outOfPlace, sizes, ROUNDS, all, nothingMissing).value).toBeCloseTo(0.75);
});

test('multiples and times pass if they are at most their gate', () => {
  expect(beside(row('7'), [1 / 1.6])).toMatchObject({ status: 'holds', stretch: false });
  expect(beside(row('7'), [1 / 1.7])).toMatchObject({ status: 'fails' });
  expect(beside(row('9'), [1])).toMatchObject({ status: 'holds', value: 10, stretch: false });
  expect(beside(row('8b'), [1])).toMatchObject({ status: 'fails', value: 10 });
});

test('a missing measurement is reported as such', () => {
  const missing = (contender: ContenderName): string | undefined => (contender === 'openMpi' ? 'no mpicc' : undefined);
  expect(judge(row('1'), sizes, ROUNDS, samples(), missing)).toMatchObject({
    status: 'notMeasured',
    reason: 'no mpicc',
  });
  expect(judge(row('1'), [1024], ROUNDS, samples(), nothingMissing)).toMatchObject({ status: 'notMeasured' });
  const some = samples();
  for (const cell of cellsOf(row('1'), sizes).slice(1)) {
    add(some, 'ours', cell, [10, 10, 10]);
    addPeer(some, row('1'), cell, [99, 99, 99]);
  }
  expect(judge(row('1'), sizes, ROUNDS, some, nothingMissing)).toMatchObject({
    status: 'notMeasured',
    reason: expect.stringContaining('1 of 4 cells lack accepted rounds'),
  });
});

test('too few rounds do not count as measured, and one of two MPI libraries does not replace both', () => {
  const few = samples();
  for (const cell of cellsOf(row('13'), sizes)) {
    add(few, 'ours', cell, [10, 10]);
    add(few, 'plainJs', cell, [90, 90, 90]);
  }
  expect(judge(row('13'), sizes, ROUNDS, few, nothingMissing)).toMatchObject({ status: 'notMeasured', value: 9 });
  const [openMpi] = row('11').peers;
  const one = samples();
  for (const cell of cellsOf(row('11'), sizes)) {
    add(one, 'ours', cell, [10, 10, 10]);
    addPeer(one, { ...row('11'), peers: openMpi === undefined ? [] : [openMpi] }, cell, [90, 90, 90]);
  }
  expect(judge(row('11'), sizes, ROUNDS, one, nothingMissing)).toMatchObject({
    status: 'notMeasured',
    value: undefined,
  });
  expect(beside(row('11'), [9])).toMatchObject({ status: 'holds', value: 9 });
});

test('geometric means are computed', () => {
  expect(geomean([2, 8])).toBeCloseTo(4);
});
