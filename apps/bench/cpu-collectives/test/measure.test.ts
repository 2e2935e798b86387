import { NcclError } from '@nccl-ts/core';
import { expect, test } from 'vitest';
import { gate } from '../src/calibration.ts';
import { commandOf, settingsOf } from '../src/contenders.ts';
import { barOfRanks, barsWith, quickSizes, rowIds, sizes } from '../src/goals.ts';
import { measure, type TurnRunner } from '../src/measure.ts';
import { peersOptions } from '../src/options.ts';
import { planOf, type UnitGroup, type BenchTurn } from '../src/plan.ts';
import { samples } from '../src/samples.ts';

const bars = barsWith(0);
const KIB = 1 << 10;
const quiet = () => gate(async () => ({ lost: [0, 0], signalNs: 45 }));
const unwatched = { progress: () => {}, over: () => false };
const row3 = bars.filter(({ row }) => row === '3');
const nameOf = ({ contender, setting }: BenchTurn): string => `${contender} ${setting?.name ?? ''}`.trim();

/** Ours takes 1 us, peers what `us` says. */
function runner(us: (turn: BenchTurn) => number, log: string[] = []): TurnRunner {
  return {
    missing: () => undefined,
    async run(turn) {
      log.push(nameOf(turn));
      return turn.cells.map((cell) => ({ cell, us: [us(turn)] }));
    },
  };
}

const turnsOf = (groups: readonly UnitGroup[]): readonly BenchTurn[] =>
  groups.flatMap(({ units }) => units.flatMap(({ turns }) => turns));

test('every row has bars, and every bar has its contenders beside ours', () => {
  expect(new Set(bars.map(({ row }) => row))).toEqual(new Set(rowIds));
  for (const { units } of planOf(bars, sizes))
    for (const { turns } of units) {
      expect(turns[0]).toMatchObject({ contender: 'ours' });
      for (const { cells } of turns) expect(new Set(cells.map(({ ranks }) => ranks)).size).toBe(1);
    }
  const row4 = planOf(
    bars.filter(({ row }) => row === '4'),
    [KIB * 16],
  );
  // Ours and what starts at once: a unit for each cell.
  expect(row4.flatMap(({ units }) => units.map(({ turns }) => turns.map(nameOf)))).toEqual(
    Array.from({ length: 6 }, () => [
      'ours',
      'sse sse2 pointers',
      'sse sse2 baked',
      'sse sse4 pointers',
      'sse sse4 baked',
    ]),
  );
});

test('some of the rank counts can be selected', () => {
  expect(row3.map((bar) => barOfRanks(bar, [1, 8])?.ranks)).toEqual([undefined, undefined, [8]]);
  const left = row3.flatMap((bar) => barOfRanks(bar, [8]) ?? []);
  const ranks = turnsOf(planOf(left, sizes)).flatMap(({ cells }) => cells.map((cell) => cell.ranks));
  expect(new Set(ranks)).toEqual(new Set([8]));
});

test('settings take part only if they can win', () => {
  const [group] = planOf(row3, [KIB]);
  expect(group?.units.map(({ turns }) => turns.map(nameOf))).toEqual(
    ['openMpi default', 'openMpi withoutCma', 'openMpi algorithm2', 'openMpi withoutTuned'].map((peer) => [
      'ours',
      peer,
    ]),
  );
  const all = turnsOf(
    planOf(
      bars.filter(({ row }) => row === '5'),
      sizes,
    ),
  ).filter(({ setting }) => setting?.form?.endsWith('-stream') === true);
  expect(all.length).toBeGreaterThan(0);
  for (const { cells } of all) for (const { place } of cells) expect(place).toBe('out');
});

test('units alternate in passes until each has its rounds, and the first one changes from pass to pass', async () => {
  const log: string[] = [];
  const into = samples();
  const groups = planOf(
    [row3[0] ?? bars[0]].flatMap((bar) => bar ?? []),
    [KIB],
  );
  await measure(
    groups,
    runner(() => 1, log),
    quiet(),
    into,
    { rounds: 4, ...unwatched },
  );
  const pairs = groups[0]?.units.map(({ turns }) => turns.map(nameOf)) ?? [];
  const pass = pairs.flat();
  const otherPass = pairs.flatMap((pair) => pair.toReversed());
  expect(log).toEqual([...pass, ...otherPass, ...pass, ...otherPass]);
  for (const place of ['in', 'out'] as const) {
    const cell = { what: 'allReduce', ranks: 2, bytes: KIB, place } as const;
    // Beside each of four settings.
    expect(into.of('ours', cell)).toHaveLength(16);
    const ours = { contender: 'ours', setting: '', cell } as const;
    for (const setting of ['default', 'withoutTuned'])
      expect(into.pairs(ours, { contender: 'openMpi', setting, cell }, 'near')?.ours.rounds).toBe(4);
  }
});

test('a setting that is clearly slower leaves after three rounds, and a close one stays', async () => {
  const into = samples();
  const us: Readonly<Record<string, number>> = { withoutCma: 126, algorithm2: 124 };
  const groups = planOf(row3, [KIB]);
  const slow = runner(({ setting }) => us[setting?.name ?? ''] ?? 100);
  await measure(groups, slow, quiet(), into, { rounds: 5, ...unwatched });
  const cell = { what: 'allReduce', ranks: 8, bytes: KIB, place: 'in' } as const;
  const rounds = into.summaries('openMpi', cell, 'near').map(({ setting, rounds }) => [setting, rounds]);
  expect(Object.fromEntries(rounds)).toEqual({ default: 5, withoutCma: 3, algorithm2: 5, withoutTuned: 5 });
});

test('rounds of the other placement are repeated, up to a limit', async () => {
  const into = samples();
  let seen = 0;
  const moving = gate(async () => ({ lost: [0, 0], signalNs: seen++ < 4 ? 45 : 180 }));
  const groups = planOf(
    bars.filter(({ row }) => row === '9'),
    sizes,
  );
  await measure(
    groups,
    runner(() => 1),
    moving,
    into,
    { rounds: 5, ...unwatched },
  );
  const cell = { what: 'barrierOfRanks', ranks: 8, bytes: 0, place: 'in' } as const;
  expect(into.summaries('ours', cell, 'near')[0]?.rounds).toBe(3);
  expect(into.summaries('ours', cell, 'far')[0]?.rounds).toBe(5);

  const never = samples();
  const busy = gate(async () => ({ lost: [1, 1], signalNs: 45 }));
  await measure(
    groups,
    runner(() => 1),
    busy,
    never,
    { rounds: 2, ...unwatched },
  );
  expect(never.all()).toEqual([]);
});

test('no unit begins after the time limit', async () => {
  const log: string[] = [];
  const groups = planOf(row3, [KIB]);
  const over = () => log.length >= 7;
  await measure(
    groups,
    runner(() => 1, log),
    quiet(),
    samples(),
    { rounds: 9, progress: () => {}, over },
  );
  expect(log).toHaveLength(8);
});

test('a contender that fails is dropped, and other errors are reported', async () => {
  const log: string[] = [];
  const failing = runner(({ contender }) => {
    if (contender === 'openMpi') throw new NcclError('NCCL_SYSTEM_ERROR', 'openMpi (default): exit code 1');
    return 1;
  }, log);
  const groups = planOf(row3, [KIB]);
  const problems = await measure(groups, failing, quiet(), samples(), { rounds: 3, ...unwatched });
  expect([...problems]).toEqual([['openMpi', 'openMpi (default): exit code 1']]);
  expect(log.filter((name) => name.startsWith('openMpi'))).toEqual(['openMpi default']);
  const broken = runner(() => {
    throw new TypeError('a mistake');
  });
  await expect(measure(groups, broken, quiet(), samples(), { rounds: 3, ...unwatched })).rejects.toThrow('a mistake');
});

test('commands of native programs are built', () => {
  const cell = { what: 'reduceScatter', ranks: 4, bytes: 4096, place: 'out' } as const;
  const asking = { path: '/tmp/p', scratch: '/tmp/s', rounds: 1, ms: 20 };
  const command = (contender: 'openMpi' | 'gloo' | 'sse', index: number): string => {
    const setting = settingsOf[contender][index];
    return setting === undefined ? '' : commandOf(setting, [cell], asking).join(' ');
  };
  expect(command('openMpi', 1)).toBe(
    'mpirun.openmpi --oversubscribe -n 4 --mca btl_vader_single_copy_mechanism none /tmp/p 1 20 reduce_scatter:4:4096:out',
  );
  expect(command('gloo', 2)).toBe('/tmp/p 1 20 /tmp/s reduce_scatter:4:4096:out:ring-chunked');
  expect(command('sse', 3)).toBe('/tmp/p 1 20 reduce_scatter:4:4096:out:baked');
});

test('options are parsed', () => {
  expect(peersOptions([])).toMatchObject({ rows: rowIds, ranks: undefined, rounds: 9, sizes, json: undefined });
  expect(peersOptions(['--quick', '--rows', '13,8b', '--ranks', '8,2', '--json', 'a.json'])).toMatchObject({
    rows: ['8b', '13'],
    ranks: [8, 2],
    rounds: 2,
    sizes: quickSizes,
    json: 'a.json',
  });
  for (const wrong of [
    ['--rows', '14'],
    ['--ranks', '3'],
    ['--ranks', ''],
    ['--minutes', '0'],
    ['--rounds', '0'],
    ['--rounds', 'x'],
    ['--what'],
    ['there'],
  ])
    expect(() => peersOptions(wrong)).toThrow(expect.objectContaining({ name: 'UsageError' }));
});
