import { defaultSelection, explain, setSelection, type ExplainQuery, type SelectionRule } from '@nccl-ts/collectives';
import { describe, expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

interface Asked {
  readonly ranks: number;
  readonly lsaSize?: number;
  readonly rules?: readonly SelectionRule[];
  readonly query: ExplainQuery;
}

/** Returns the explanation on rank 0, which is the same on all ranks. */
async function told({ ranks, lsaSize = ranks, rules, query }: Asked): Promise<readonly string[]> {
  const texts = await inWorld(
    ranks,
    async (comm) => {
      if (rules !== undefined) setSelection(comm, rules);
      return explain(comm, query);
    },
    lsaSize,
  );
  expect(new Set(texts).size).toBe(1);
  return texts[0]?.split('\n') ?? [];
}

const sum = { collective: 'allReduce', element: 'i32', count: 1024, op: 'sum' } as const;
const ring: SelectionRule = { collective: 'allReduce', algorithm: 'ring' };
const oneShot: SelectionRule = { collective: 'allReduce', algorithm: 'oneShot', maxBytes: 4096 };

describe('explain', () => {
  test('shows the times of a predictor', async () => {
    const predictor = (algorithm: string): number | undefined => (algorithm === 'twoShot' ? 3.456 : undefined);
    const lines = await told({ ranks: 2, query: { ...sum, predictor } });
    expect(lines[1]).toMatch(/^ {2}twoShot, .* by the rule allReduce: twoShot, predicted 3\.46 us$/);
    expect(lines.slice(3, 5)).toEqual([
      '    twoShot, predicted 3.46 us',
      expect.stringMatching(/^ {4}oneShot: but in place/),
    ]);
  });

  test('names the measurement that a rule rests on, as the rules for GPUs state it', async () => {
    const measured = 'two H100s (table.json)';
    const lines = await told({ ranks: 2, rules: [{ ...ring, measured }], query: sum });
    expect(lines[1]).toMatch(/by the rule allReduce: ring, measured on two H100s \(table\.json\)$/);
    for (const rule of defaultSelection.filter(({ backend, maxRanks = 8 }) => backend === 'cuda' && maxRanks <= 4)) {
      expect(rule.measured).toMatch(/results\/table-/);
    }
  });

  test('lists the obstacle of each algorithm and each rule', async () => {
    const rules = [{ ...ring, backend: 'cuda' }, oneShot, { collective: 'allToAll', algorithm: 'll' }, ring] as const;
    expect(await told({ ranks: 2, rules, query: sum })).toEqual([
      'allReduce of 1024 i32 (4096 bytes) on 2 ranks of sim:',
      '  oneShot, 1 CTAs x 64 threads, by the rule allReduce: oneShot (up to 4096 bytes)',
      '  algorithms:',
      '    twoShot',
      '    oneShot: but in place, other ranks would read data that is being written',
      '    chunked',
      '    ll',
      '    ll128',
      '    sentinel: cannot, since every i32 is a separate value',
      '    ring',
      '    hierarchical: cannot, since the communicator has only one load-store domain',
      '  rules (the first that fits applies):',
      '    allReduce: ring (backend cuda): does not fit',
      '    allReduce: oneShot (up to 4096 bytes): but in place, other ranks would read data that is being written',
      '    allReduce: ring',
    ]);
  });

  test.each<readonly [string, Asked, RegExp, RegExp]>([
    [
      'in place',
      { ranks: 2, rules: [oneShot], query: { ...sum, inPlace: true } },
      /^ {2}twoShot, .*, by the rule allReduce: oneShot \(up to 4096 bytes\), but in place, other ranks would read/,
      /^ {4}allReduce: oneShot \(up to 4096 bytes\): cannot, since in place, other ranks would read data that is being written$/,
    ],
    [
      'of one rank',
      { ranks: 1, rules: [ring], query: sum },
      /^ {2}twoShot, .*, by the rule allReduce: ring, but a ring needs two ranks or more$/,
      /^ {4}allReduce: ring: cannot, since a ring needs two ranks or more$/,
    ],
    [
      'of several domains',
      { ranks: 4, lsaSize: 2, rules: [ring], query: sum },
      /^ {2}hierarchical, .*, by need: loads and stores reach 2 ranks$/,
      /^ {4}allReduce: ring: cannot, since loads and stores reach only 2 of the 4 ranks$/,
    ],
    [
      'of scalars',
      { ranks: 2, rules: [{ ...ring, algorithm: 'll' }], query: { ...sum, op: 'preMulSum' } },
      /^ {2}twoShot, .*, by the rule allReduce: ll, but the receiver of a value does not know the sender's scalar$/,
      /^ {4}allReduce: ll: cannot, since the receiver of a value does not know the sender's scalar$/,
    ],
  ])('names the algorithm that replaces an unsuitable one: %s', async (_what, asked, done, rule) => {
    const lines = await told(asked);
    expect(lines[1]).toMatch(done);
    expect(lines.at(-1)).toMatch(rule);
  });
});
