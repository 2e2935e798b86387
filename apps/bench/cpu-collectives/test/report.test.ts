import { expect, test } from 'vitest';
import { barsWith, cellsOf, peerCell, type Bar } from '../src/goals.ts';
import { judge, type BarVerdict } from '../src/judge.ts';
import { settingNames } from '../src/plan.ts';
import { cellLines, exitCode, gateLine, reportLines } from '../src/report.ts';
import { samples } from '../src/samples.ts';

const bars = barsWith(0);
const KIB = 1 << 10;
const SIZES = [64 * KIB, 256 * KIB];

/** The bars of a row, ours 10 us everywhere, its peers `times` as long. */
function verdicts(row: string, times: number): readonly BarVerdict[] {
  const all = samples();
  const chosen = bars.filter((bar) => bar.row === row);
  for (const bar of chosen)
    for (const cell of cellsOf(bar, SIZES)) {
      for (const [unit, us] of [10, 11, 9].entries())
        all.add({ contender: 'ours', setting: '', cell, placement: 'near', us, unit });
      for (const peer of bar.peers)
        for (const setting of settingNames(peer, peerCell(peer, cell)))
          for (const [unit, us] of [times * 10, times * 10, times * 12].entries())
            all.add({ contender: peer.contender, setting, cell: peerCell(peer, cell), placement: 'near', us, unit });
    }
  return chosen.map((bar: Bar) => judge(bar, SIZES, 3, all, () => undefined));
}

test('the report has a table', async () => {
  const missing = bars
    .filter(({ row }) => row === '12')
    .map((bar) =>
      judge(bar, SIZES, 3, samples(), (name) => (name === 'gloo' ? 'no g++ (apt-get install g++)' : undefined)),
    );
  await expect(
    reportLines([...verdicts('13', 3), ...verdicts('7', 1), ...verdicts('9', 1), ...missing]).join('\n'),
  ).toMatchFileSnapshot('snapshots/peers-table.txt');
});

test('the report has a line for each cell', async () => {
  await expect(cellLines([...verdicts('13', 2), ...verdicts('9', 1)]).join('\n')).toMatchFileSnapshot(
    'snapshots/peers-cells.txt',
  );
});

test('the exit code for unmeasured bars comes before that for failed ones', () => {
  const holds = verdicts('13', 3);
  const fails = verdicts('13', 2);
  const absent = bars.slice(0, 1).map((bar) => judge(bar, SIZES, 3, samples(), () => undefined));
  expect([holds, fails, absent].map((all) => all[0]?.status)).toEqual(['holds', 'fails', 'notMeasured']);
  expect([exitCode(holds), exitCode([...holds, ...fails]), exitCode([...fails, ...absent])]).toEqual([0, 1, 2]);
});

test('the report has units', () => {
  expect(gateLine({ accepted: 90, rejected: 20, lost: 1, busy: 31 })).toBe(
    'units: 90 accepted, 20 rejected, 1 given up; 31 calibrations found the machine busy',
  );
});
