import { check, explore } from '@nccl-ts/checker';
import { devComm, window } from '@nccl-ts/devcomm';
import type { CheckReport } from '@nccl-ts/findings';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { describe, expect, inject, it } from 'vitest';
import { hosts } from './every-engine.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

const params = { comm: devComm, inbox: window, out: window };

/** The loads and stores around one word, which differ in one respect each. */
type Shape =
  /** Each thread stores the value and then loads it. */
  | 'repeated'
  /** The threads store other values. */
  | 'other value'
  /** The second rank loads without a store of its own. */
  | 'no own store'
  /** An older store of another value, by the second rank, is ordered with neither load. */
  | 'older store'
  /** The first rank stores another value before the one that both store. */
  | 'value before'
  /** The load of each thread is strong. */
  | 'relaxed load'
  /** The loads are those of waits. */
  | 'wait'
  /** The second rank waits for the value, without a store of its own. */
  | 'only a wait'
  /** The second rank waits for the value and, at once, for a flag behind the store of the first. */
  | 'early look';

const repeated = (SHAPE: Shape) =>
  kernel(
    { name: `repeated_${SHAPE.replaceAll(' ', '_')}`, use: { lsa, SHAPE }, params },
    ({ lsa, SHAPE, u32, waitUntil }, { comm, inbox, out }) => {
      const word = lsa.pointer(inbox, u32, 0, 0);
      if (SHAPE === 'older store' && comm.lsaRank === 1) word.store(0, 3);
      if (SHAPE === 'value before' && comm.lsaRank === 0) word.store(0, 3);
      const stores = SHAPE !== 'no own store' && SHAPE !== 'only a wait' && SHAPE !== 'early look';
      if (stores || comm.lsaRank !== 1) word.store(0, SHAPE === 'other value' ? comm.lsaRank : 7);
      if (SHAPE === 'wait' || (SHAPE === 'only a wait' && comm.lsaRank === 1)) waitUntil(() => word.load(0) === 7);
      if (SHAPE === 'early look' && comm.lsaRank === 0) word.store(1, 1, 'release');
      if (SHAPE === 'early look' && comm.lsaRank === 1)
        waitUntil(() => {
          const flag = word.load(1, 'acquire');
          const value = word.load(0);
          return flag === 1 && value === 7;
        });
      const got = SHAPE === 'relaxed load' ? word.load(0, 'relaxed') : word.load(0);
      lsa.localPointer(out, u32, 0).store(0, got);
    },
  );

async function reportsOf(shape: Shape, launches = 1, reads = false): Promise<readonly CheckReport[]> {
  const program = hosts(async (comm) => {
    const inbox = await comm.allocWindow('u32', 16);
    const out = await comm.allocWindow('u32', 16);
    const dev = await comm.createDevComm({});
    for (let i = 0; i < launches; i++)
      await comm.launch(repeated(shape), { grid: 1, block: 1 }, { comm: dev, inbox, out });
    await comm.synchronize();
    if (reads && comm.rank === 0) await inbox.read(new Uint32Array(1));
  });
  const ranks = shape === 'early look' ? 3 : 2;
  const { report } = await explore({ ranks, mode: 'check' }, program, { runs: 10_000 });
  const reports = report === undefined ? [] : [report];
  for (const strategy of ['auto', 'exhaustive', 'late', 'random'] as const)
    reports.push(await check({ ranks, strategy }, program));
  return reports;
}

function severities({ findings }: CheckReport): readonly string[] {
  return findings.map(
    ({ severity, labels }) =>
      `${severity}: ${labels
        .map(({ does }) => does)
        .toSorted()
        .join(' ~ ')}`,
  );
}

/** The quick tests have the first. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

describe('a load that races with a store', () => {
  it.each([1, 2].filter((launches) => (launches === 1) !== inject('slow')))(
    'is harmless if its thread and another one store the same value, in %d launches',
    async (launches) => {
      for (const report of await reportsOf('repeated', launches)) {
        expect(report.verdict).toBe('clean');
        expect(severities(report).toSorted()).toEqual(['note: load ~ store', 'note: store ~ store']);
      }
    },
  );

  it('is harmless in a wait too', async () => {
    for (const report of await reportsOf('wait')) {
      expect(report.verdict).toBe('clean');
      expect(new Set(severities(report))).toEqual(new Set(['note: load ~ store', 'note: store ~ store']));
    }
  });

  it.for(slow)('is an error if a host loads, since it knows of no other store', async () => {
    for (const report of await reportsOf('repeated', 1, true)) expect(report.verdict).toBe('race');
  });

  it.each(
    (
      [
        'other value',
        'no own store',
        'older store',
        'value before',
        'relaxed load',
        'only a wait',
        'early look',
      ] as const
    ).filter(isNow),
  )('is an error: %s', async (shape) => {
    for (const report of await reportsOf(shape)) {
      expect(report.verdict).toBe('race');
      expect(severities(report)).toContain('error: load ~ store');
    }
  });
});
