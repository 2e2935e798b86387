import { check, type CheckOptions } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { allGather, allReduce, broadcast, group, recv, send, setSelection, type Algorithm } from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { describe, expect, test } from 'vitest';
import { inWorld } from './support/in-world.ts';

type Program = (comm: Communicator, x: Window<'f32'>, y: Window<'f32'>) => Promise<void>;

const algorithms: readonly Algorithm[] = ['oneShot', 'twoShot'];

const disagreements: readonly (readonly [what: string, call: Program, first: string, second: string])[] = [
  [
    'operator',
    async (comm, x, y) => allReduce(comm, x, y, 64, comm.rank === 0 ? RedOp.Max : RedOp.Sum),
    'allReduce(max, 64 f32',
    'allReduce(sum, 64 f32',
  ],
  [
    'count',
    async (comm, x, y) => allReduce(comm, x, y, 32 + 16 * comm.rank, RedOp.Sum),
    'allReduce(sum, 32 f32',
    'allReduce(sum, 48 f32',
  ],
  [
    'count, which is 0 on one rank',
    async (comm, x, y) => allReduce(comm, x, y, 16 * comm.rank, RedOp.Sum),
    'allReduce(sum, 0 f32',
    'allReduce(sum, 16 f32',
  ],
  [
    'type',
    async (comm, x, y) =>
      comm.rank === 0
        ? allReduce(comm, x, y, 8, RedOp.Sum)
        : allReduce(comm, x.symPtr(0, 'i32'), y.symPtr(0, 'i32'), 8, RedOp.Sum),
    'allReduce(sum, 8 f32',
    'allReduce(sum, 8 i32',
  ],
  [
    'root',
    async (comm, x, y) => broadcast(comm, x, y, 8, comm.rank),
    'broadcast(8 f32, root 0',
    'broadcast(8 f32, root 1',
  ],
  [
    'algorithm',
    async (comm, x, y) => {
      const algorithm = algorithms[comm.rank];
      await allReduce(comm, x, y, 8, RedOp.Sum, algorithm === undefined ? {} : { algorithm });
    },
    'allReduce(sum, 8 f32, oneShot, ',
    'allReduce(sum, 8 f32, twoShot, ',
  ],
  [
    'selection',
    async (comm, x, y) => {
      if (comm.rank === 1) setSelection(comm, [{ collective: 'allReduce', algorithm: 'ring' }]);
      await allReduce(comm, x, y, 8, RedOp.Sum);
    },
    'allReduce(sum, 8 f32, ',
    'allReduce(sum, 8 f32, ring, ',
  ],
  [
    'collective',
    async (comm, x, y) => (comm.rank === 0 ? allReduce(comm, x, y, 8, RedOp.Sum) : allGather(comm, x, y, 8)),
    'allReduce(sum, 8 f32',
    'allGather(8 f32',
  ],
  [
    'order of a group',
    async (comm, x, y) =>
      group(comm, async () => {
        const calls = [
          async () => allReduce(comm, x, y, 8, RedOp.Sum),
          async () => allReduce(comm, x.symPtr(128), y.symPtr(128), 4, RedOp.Sum),
        ];
        for (const call of comm.rank === 0 ? calls : calls.toReversed()) await call();
      }),
    'allReduce(sum, 8 f32',
    'allReduce(sum, 4 f32',
  ],
];

async function inWindows(comm: Communicator, call: Program): Promise<void> {
  await call(comm, await comm.allocWindow('f32', 256), await comm.allocWindow('f32', 256));
  await comm.synchronize();
}

function escaped(text: string): string {
  return text.replaceAll(/[()]/g, String.raw`\$&`);
}

function disagreement(first: string, second: string, place = ''): RegExp {
  return new RegExp(`rank 0 calls ${escaped(first)}.*\\)${place}, rank 1 calls ${escaped(second)}.*\\)${place};`);
}

describe('if the calls of two ranks differ, the later one fails and names both', () => {
  test.each(disagreements)('if two calls differ in %s, the later one fails', async (_what, call, first, second) => {
    const run = inWorld(2, async (comm) => inWindows(comm, call));
    await expect(run).rejects.toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringMatching(disagreement(first, second)),
    });
  });
});

describe('a check reports differing calls as misuse', () => {
  const place = String.raw` at \S*disagreements\.test\.ts:\d+:\d+`;
  const options: readonly (readonly [string, Partial<CheckOptions>])[] = [
    ['by default', {}],
    ['in exhaustive mode', { strategy: 'exhaustive', bound: 20 }],
    ['in schedules', { strategy: 'random', schedules: 2 }],
  ];
  test.each(options)('a check reports calls that differ in %s as misuse', async (_what, asked) => {
    const [[, call, first, second] = []] = disagreements;
    if (call === undefined || first === undefined || second === undefined) throw new RangeError('No programs.');
    const report = await check({ ranks: 2, ...asked }, async (backend) => {
      await using world = await World.open({ backend });
      await world.run(async (comm) => inWindows(comm, call));
    });
    expect(report.verdict).toBe('misuse');
    expect(report.findings).toMatchObject([
      {
        kind: 'misuse',
        severity: 'error',
        message: expect.stringMatching(disagreement(first, second, place)),
        labels: [
          { agent: 'host', rank: 0 },
          { agent: 'host', rank: 1 },
        ],
      },
    ]);
  });

  test('a send and a receive that differ', async () => {
    const report = await check({ ranks: 2 }, async (backend) => {
      await using world = await World.open({ backend });
      await world.run(async (comm) =>
        inWindows(comm, async (_, x) => (comm.rank === 0 ? send(comm, x, 4, 1) : recv(comm, x, 3, 0))),
      );
    });
    expect(report.findings).toMatchObject([
      { kind: 'misuse', message: expect.stringMatching(/^send of 4 f32 .* matches recv of 3 f32/) },
    ]);
  });

  test('even if the program catches the error', async () => {
    const backend = sim({ ranks: 2, mode: 'check' });
    await using world = await World.open({ backend });
    await world.run(async (comm) => {
      const x = await comm.allocWindow('f32', 64);
      const y = await comm.allocWindow('f32', 64);
      await x.write(new Float32Array(64));
      await allReduce(comm, x, y, 8, RedOp.Sum);
      if (comm.rank === 1) {
        await comm.synchronize();
        await allReduce(comm, x, y, 9, RedOp.Sum).catch(() => undefined);
      }
      // The call that failed was not made.
      await allReduce(comm, x, y, 8, RedOp.Sum);
    });
    expect(backend.report().findings.map(({ kind }) => kind)).toEqual(['misuse']);
  });

  test('with the ranks of the world, for a communicator of some of them', async () => {
    const backend = sim({ ranks: 3, mode: 'check' });
    await using world = await World.open({ backend });
    const run = world.run(async (comm) => {
      const part = await comm.split(comm.rank === 0 ? 0 : 1);
      const x = await part.allocWindow('f32', 64);
      await allReduce(part, x, x, 8 + part.rank, RedOp.Sum);
    });
    await expect(run).rejects.toThrow(/rank 0 calls .*, rank 1 calls/);
    expect(backend.report().findings[0]?.labels.map(({ rank }) => rank)).toEqual([1, 2]);
  });
});

describe('calls that the library cannot compare cause no report', () => {
  test('if one rank is ahead of the others, and with several streams', async () => {
    await inWorld(3, async (comm) => {
      const x = await comm.allocWindow('f32', 64);
      await x.write(new Float32Array(64).fill(comm.rank));
      const stream = await comm.createStream();
      for (let i = 0; i < 20; i++) await allReduce(comm, x, x, 1 + i, RedOp.Max, i % 2 === 0 ? {} : { stream });
      await allReduce(comm, x, x, 0, RedOp.Sum);
      await comm.synchronize();
      expect((await x.read())[0]).toBe(2);
    });
  });

  test('after a graph has captured some of the calls', async () => {
    await inWorld(2, async (comm) => {
      const x = await comm.allocWindow('f32', 64);
      await allReduce(comm, x, x, 8, RedOp.Sum);
      if (comm.rank === 0) {
        await using graph = await comm.defaultStream.capture(async () => allReduce(comm, x, x, 4, RedOp.Sum));
        for (let i = 0; i < 2; i++) await graph.launch();
        await comm.synchronize();
      } else {
        for (let i = 0; i < 2; i++) await allReduce(comm, x, x, 4, RedOp.Sum);
      }
      await allReduce(comm, x, x, 8, RedOp.Sum);
      const { length } = await x.read();
      expect(length).toBe(64);
    });
  });

  test('for calls after one that could not be launched', async () => {
    await inWorld(2, async (comm) => {
      const x = await comm.allocWindow('f32', 64);
      await expect(allReduce(comm, x, x, 65, RedOp.Sum)).rejects.toMatchObject({ code: 'NCCL_INVALID_ARGUMENT' });
      if (comm.rank === 0) {
        const stream = await comm.createStream();
        await stream.close();
        await expect(allReduce(comm, x, x, 8, RedOp.Sum, { stream })).rejects.toThrow(/closed/);
      }
      await allReduce(comm, x, x, 8, RedOp.Sum);
      await allReduce(comm, x, x, 4, RedOp.Sum);
    });
  });
});
