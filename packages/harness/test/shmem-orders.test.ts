import { readFileSync } from 'node:fs';
import { check, explore } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32, u64 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const textOf = (name: string): string => readFileSync(new URL(`fixtures/calls/${name}`, import.meta.url), 'utf8');
const ptx = textOf('shmem-orders.ptx');
const source = (path: string): string | undefined => (path.endsWith('.cu') ? textOf(path) : undefined);

/** The races of a kernel, by either engine, as the two lines of each. */
async function racesOf(entry: string, ranks: number, block: number) {
  const launch = harness({
    entry,
    ranks,
    grid: 1,
    block,
    launches: 1,
    setup({ rank, alloc }) {
      const box = alloc('box', u32, 4);
      const mine = alloc('mine', u32, 4, (i) => 10 * rank + i + 1);
      return { args: [box, mine, alloc('signal', u64, 2), alloc('out', u32, 4)] };
    },
  });
  const program = harnessProgram(launch, translate(launch, ptx, { name: 'shmem-orders.ptx', source }));
  const checked = await check({ ranks }, program);
  const { report: explored, complete } = await explore({ ranks, mode: 'check' }, program, { runs: 5000 });
  expect(complete).toBe(true);
  return { checked, explored };
}

type Report = Awaited<ReturnType<typeof racesOf>>['checked'];

function summaryOf(report: Report | undefined): readonly string[] {
  const found = report?.findings ?? [];
  return found
    .map(
      ({ kind, labels }) =>
        `${kind}: ${labels
          .map(({ does }) => does)
          .toSorted()
          .join(', ')}`,
    )
    .toSorted();
}

const arrives = 'race: load, put that writes';
const reused = 'race: put that reads its source, store';

interface Case {
  readonly entry: string;
  readonly title: string;
  readonly found: readonly string[];
  readonly ranks?: number;
  readonly block?: number;
}

const cases: readonly Case[] = [
  { entry: 'signalOfAnotherPut', title: 'a signal covers no earlier put', found: [arrives] },
  { entry: 'signalOfTheSecondBlockingPut', title: 'a blocking put need not have arrived', found: [arrives] },
  { entry: 'signalOfThePut', title: 'a signal covers its own put', found: [] },
  { entry: 'oneSignalForTwoPuts', title: 'one signal need not be that of the first put', found: [arrives] },
  { entry: 'sumOfTwoPuts', title: 'the sum of both signals covers both puts', found: [] },
  { entry: 'putBeforeTheSignal', title: 'a signal covers no put without a signal', found: [arrives] },
  { entry: 'fenceBeforeTheSignal', title: 'a fence orders a put before the next one', found: [] },
  { entry: 'sourceOfNbi', title: 'the source of a non-blocking put is in use', found: [reused] },
  { entry: 'sourceOfBlocking', title: 'the source of a blocking put is free', found: [] },
  { entry: 'sourceOfNbiBeforeBlocking', title: 'a blocking put waits for its own source only', found: [reused] },
  { entry: 'sourceAfterQuiet', title: 'quiet frees all sources', found: [] },
  { entry: 'sourceAfterFence', title: 'a fence frees no source', found: [reused] },
  { entry: 'sourceAfterFencedFlag', title: 'a flag after a fence frees no source', found: [reused] },
  { entry: 'flagAfterFence', title: 'a fence orders a put before a flag', found: [] },
  { entry: 'atomicFlagAfterFence', title: 'a fence orders a put before an atomic', found: [] },
  { entry: 'flagWithoutFence', title: 'a flag without a fence is not ordered', found: [arrives] },
  { entry: 'flagByAThirdPe', title: 'a fence orders nothing at a third PE', found: [arrives], ranks: 3 },
  { entry: 'quietBeforeAThirdPe', title: 'quiet orders puts for all PEs', found: [], ranks: 3 },
  { entry: 'getAfterFence', title: 'a fence completes no get', found: ['race: get that writes, load'] },
  { entry: 'getAfterQuiet', title: 'quiet completes gets', found: [] },
  { entry: 'blockingGet', title: 'a blocking get is complete', found: [] },
  { entry: 'blockSource', title: 'the source of a block is in use', found: [reused], block: 2 },
  { entry: 'warpData', title: 'a signal covers the put of a warp', found: [], block: 32 },
  { entry: 'fenceOfAnotherThread', title: 'a fence orders the puts that its thread knows', found: [], block: 2 },
  { entry: 'readBeforeThePut', title: 'a put may overwrite what is still read', found: [arrives] },
  {
    entry: 'twoPutsToOnePlace',
    title: 'two puts to one place are not ordered',
    found: ['race: put that writes, put that writes'],
    ranks: 3,
  },
  {
    entry: 'oneSignalForAllThreads',
    title: 'a barrier of threads makes no signal cover more',
    found: [arrives],
    block: 2,
  },
];

describe('NVSHMEM’s order of puts', () => {
  it.each(cases.filter((_, i) => (i % 8 === 0) !== inject('slow')))(
    '$title',
    async ({ entry, found, ranks = 2, block = 1 }) => {
      const { checked, explored } = await racesOf(entry, ranks, block);
      expect(summaryOf(checked)).toEqual(found);
      expect(summaryOf(explored)).toEqual(found);
    },
  );

  it.for(quick)('advises a put that overwrites what is still read to wait for its reader', async () => {
    const { checked, explored } = await racesOf('readBeforeThePut', 2, 1);
    for (const report of [checked, explored]) {
      const text = report === undefined ? '' : renderReport(report);
      expect(text).toContain('the put of rank 0 does not wait until rank 1 is done with these bytes');
      expect(text).not.toContain('no wait covers');
    }
  });

  it.for(quick)('says of threads that meet the one that waits which put its signal does not cover', async () => {
    const { checked, explored } = await racesOf('oneSignalForAllThreads', 2, 2);
    for (const report of [checked, explored]) {
      const text = report === undefined ? '' : renderReport(report);
      expect(text).toMatch(/is for the signal of another put at|wait for the value that it has after both/);
      expect(text).not.toContain('__sync');
    }
  });

  it.for(slow)('advises two puts to one place to use two places, or to wait', async () => {
    const { checked, explored } = await racesOf('twoPutsToOnePlace', 3, 1);
    for (const report of [checked, explored]) {
      expect(report === undefined ? '' : renderReport(report)).toMatch(
        /nothing orders the put of rank \d and the put of rank \d: use another buffer for one of them/,
      );
    }
  });
});
