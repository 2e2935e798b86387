import { check } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { renderReport } from '@nccl-ts/findings';
import { f32, harness, harnessProgram, ptr, struct, u32, u64, type HarnessDefinition } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';
import { followsVariable, storesToPeer } from './support/stub-kernel.ts';

const Pair = struct({ a: u64, b: u32 });

/** Each rank stores a number to its right neighbour. */
const stores = (
  more: Partial<HarnessDefinition> = {},
  expected = (from: number): number => 10 + from,
): HarnessDefinition => ({
  entry: 'stores',
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, nRanks, alloc, peer }) {
    const inbox = alloc('inbox', u32, 4);
    const table = alloc('table', ptr, [peer(inbox, (rank + 1) % nRanks, 4)]);
    const left = (rank + nRanks - 1) % nRanks;
    return {
      args: [table, 10 + rank, Pair({ a: 1n })],
      expect: () => inbox.equals([0, expected(left), 0, 0]),
    };
  },
  ...more,
});

const run = async (definition: HarnessDefinition, entry = storesToPeer(), ranks = 2): Promise<void> => {
  await harnessProgram(harness(definition), entry)(sim({ ranks }));
};

describe('a harness', () => {
  it("passes peers' addresses through tables in memory, and compares the results of each rank", async () => {
    await expect(run(stores())).resolves.toBeUndefined();
  });

  it.each([2, 3])('names the wrong element and its rank, on %i ranks', async (ranks) => {
    const wrong = run(
      stores({}, (from) => 20 + from),
      storesToPeer(),
      ranks,
    );
    await expect(wrong).rejects.toThrow(
      /^the result is wrong: element 1 of 'inbox' of rank \d is (0|1\d), but the harness expects 2\d$/,
    );
  });

  it('names allocations in findings', async () => {
    const report = await check(
      { ranks: 2, strategy: 'late' },
      harnessProgram(harness(stores({ launches: 2 })), storesToPeer()),
    );
    expect(renderReport(report)).toMatch(/byte 4 of 'inbox', rank [01]'s copy/);
  });

  it('reports a wrong result as a finding of a check', async () => {
    const report = await check({ ranks: 2 }, harnessProgram(harness(stores({}, () => 99)), storesToPeer()));
    expect(report.findings.map(({ kind }) => kind)).toContain('fault');
    expect(renderReport(report)).toContain("of 'inbox' of rank");
  });

  it('reports a wrong result as a finding of the exhaustive check too', async () => {
    const definition: HarnessDefinition = {
      entry: 'follows',
      grid: 1,
      block: 1,
      launches: 1,
      setup({ alloc }) {
        const out = alloc('out', u32, 1);
        return { args: [out], expect: () => out.equals([41]) };
      },
    };
    const program = harnessProgram(harness(definition), followsVariable());
    const report = await check({ ranks: 2, strategy: 'exhaustive' }, program);
    expect(report.verdict).toBe('fault');
    expect(renderReport(report)).toMatch(/element 0 of 'out' of rank \d is 42, but the harness expects 41/);
  });

  it('fills variables of the module with addresses', async () => {
    const definition: HarnessDefinition = {
      entry: 'follows',
      grid: 1,
      block: 1,
      setup({ alloc }) {
        const out = alloc('out', u32, 1);
        return { args: [out], expect: () => out.equals([42]) };
      },
    };
    await run(definition, followsVariable());
    const report = await check({ ranks: 2, local: true }, harnessProgram(harness(definition), followsVariable()));
    expect(renderReport(report)).toMatch(/^clean/);
  });

  it('lets the host write between launches, on one stream or two', async () => {
    for (const streams of [1, 2]) {
      let asked: readonly number[] = [];
      await run(
        {
          entry: 'follows',
          grid: 1,
          block: 1,
          launches: 4,
          streams,
          setup({ rank, alloc }) {
            const out = alloc('out', u32, 1);
            const log = alloc('log', u32, 4);
            return {
              args: [out],
              between: (launch) => {
                if (rank === 0) asked = [...asked, launch];
                return log.write([launch], launch);
              },
              expect: () => log.equals(streams === 1 ? [0, 1, 2, 3] : [0, 0, 2, 0]),
            };
          },
        },
        followsVariable(),
      );
      expect(asked).toEqual(streams === 1 ? [1, 2, 3] : [2]);
    }
  });

  it('runs in worlds of several sizes', async () => {
    const program = harnessProgram(
      harness(stores({ setup: (setup) => ({ args: stores().setup(setup).args }) })),
      storesToPeer(),
    );
    await expect(program(sim({ ranks: 2 }))).resolves.toBeUndefined();
    await expect(program(sim({ ranks: 4 }))).resolves.toBeUndefined();
  });
});

describe('an impossible harness', () => {
  it.each<[string, Partial<HarnessDefinition>, RegExp]>([
    [
      'allocations that differ',
      {
        setup: ({ rank, alloc }) => {
          alloc('data', f32, 8);
          if (rank === 1) alloc('more', u32, 1);
          return { args: [] };
        },
      },
      /rank 0 and rank 1 make different allocations[^]*rank 0: data \(8 x f32\)\n {2}rank 1: data \(8 x f32\), more \(1 x u32\)/,
    ],
    ['too few arguments', { setup: () => ({ args: [null] }) }, /the entry has 3 parameters \(.*\); args has 1/],
    [
      'a struct of another size',
      { setup: () => ({ args: [null, 1, struct({ a: u32 })({ a: 1 })] }) },
      /argument 2 \(stores_param_2\) takes a struct of 16 bytes, aligned to 8; given 4 bytes \(struct \{ a: u32 \}\)/,
    ],
    [
      'an address for a number',
      { setup: ({ alloc }) => ({ args: [null, alloc('data', 4), new Uint8Array(16)] }) },
      /argument 1 \(stores_param_1\) takes u32, 4 bytes; given an address, which has 8 bytes/,
    ],
    [
      'a fraction for an integer',
      { setup: () => ({ args: [null, 0.5, new Uint8Array(16)] }) },
      /argument 1 .* given 0\.5: write f32\(0\.5\)/,
    ],
    [
      'two allocations of one name',
      { setup: ({ alloc }) => ({ args: [alloc('a', 4), alloc('a', 4)] }) },
      /an allocation 'a' already/,
    ],
    [
      'a pointer past the end',
      { setup: ({ alloc, peer }) => ({ args: [peer(alloc('a', 4), 1, 4)] }) },
      /byteOffset into a/,
    ],
  ])('is refused: %s', async (_, wrong, message) => {
    await expect(run(stores(wrong))).rejects.toThrow(message);
  });

  it('is refused if it needs multicast and there is none', async () => {
    const definition = stores({
      setup: ({ alloc, multicast }) => ({ args: [multicast(alloc('a', 4)), 1, new Uint8Array(16)] }),
    });
    const program = harnessProgram(harness(definition), storesToPeer());
    await expect(program(sim({ ranks: 2, multimem: false }))).rejects.toThrow(
      /rank \d has no address of a of all ranks, byte 0: the backend has no multicast/,
    );
  });
});
