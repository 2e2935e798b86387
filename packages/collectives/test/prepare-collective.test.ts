import { sim } from '@nccl-ts/backend-sim';
import {
  allGather,
  allReduce,
  allToAll,
  broadcast,
  group,
  prepareCollective,
  redOpCreatePreMulSum,
  reduceScatter,
  setSelection,
  type CollectiveQuery,
  type SelectionRule,
} from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { at, encodeArray, RedOp } from '@nccl-ts/core';
import { describe, expect, inject, test } from 'vitest';
import { checked } from './support/checked.ts';
import { inWorld } from './support/in-world.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** A simulator that notes the calls of its world's functions. */
function noting(calls: string[], ranks: number, lsaSize = ranks) {
  const backend = sim({ ranks, lsaSize });
  return {
    ...backend,
    open: async (options: Parameters<typeof backend.open>[0]) => {
      const world = await backend.open(options);
      return new Proxy(world, {
        get: (target, name) => {
          const value: unknown = Reflect.get(target, name, target);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]): unknown => {
            calls.push(String(name));
            return Reflect.apply(value, target, args);
          };
        },
      });
    },
  };
}

type Run = (comm: Communicator, send: Window, recv: Window) => Promise<void>;

interface Case {
  readonly query: CollectiveQuery;
  readonly run: Run;
  /** The first element of each rank's part of rank 1's result, if rank r sends r + 1. */
  readonly result: readonly number[];
  readonly algorithm: string;
  readonly lsaSize?: number;
}

const COUNT = 8;
const rules: readonly SelectionRule[] = [
  { collective: 'allReduce', algorithm: 'oneShot', maxBytes: 16 },
  { collective: 'allReduce', algorithm: 'sentinel' },
  { collective: 'allReduce', algorithm: 'll' },
  { collective: 'broadcast', algorithm: 'ring' },
  { collective: 'allGather', algorithm: 'll' },
  { collective: 'reduceScatter', algorithm: 'direct' },
  { collective: 'allToAll', algorithm: 'direct' },
];
const sum = { collective: 'allReduce', element: 'f32', count: COUNT, op: 'sum' } as const;
const copy = { element: 'f32', count: COUNT, op: undefined } as const;
const reduced: Run = async (comm, send, recv) => allReduce(comm, send, recv, COUNT, RedOp.Sum);

const cases: readonly (readonly [string, Case])[] = [
  ['allReduce', { query: sum, run: reduced, result: [3], algorithm: 'sentinel' }],
  [
    'allReduce of a type without a spare value',
    {
      query: { ...sum, element: 'i32' },
      run: reduced,
      result: [3],
      algorithm: 'll',
    },
  ],
  [
    'allReduce in place, which oneShot does not support',
    {
      query: { ...sum, count: 4, inPlace: true },
      run: async (comm, send) => allReduce(comm, send, send, 4, RedOp.Sum),
      result: [3],
      algorithm: 'sentinel',
    },
  ],
  [
    'allReduce of 64-bit elements, scaled',
    {
      query: { ...sum, element: 'i64', op: 'preMulSum' },
      run: async (comm, send, recv) => allReduce(comm, send, recv, COUNT, redOpCreatePreMulSum(2n)),
      result: [6],
      algorithm: 'twoShot',
    },
  ],
  ['allReduce between domains', { query: sum, run: reduced, result: [3], algorithm: 'hierarchical', lsaSize: 1 }],
  [
    'broadcast',
    {
      query: { ...copy, collective: 'broadcast' },
      run: async (comm, send, recv) => broadcast(comm, send, recv, COUNT, 1),
      result: [2],
      algorithm: 'ring',
    },
  ],
  [
    'allGather',
    {
      query: { ...copy, collective: 'allGather' },
      run: async (comm, send, recv) => allGather(comm, send, recv, COUNT),
      result: [1, 2],
      algorithm: 'll',
    },
  ],
  [
    'reduceScatter',
    {
      query: { ...sum, collective: 'reduceScatter' },
      run: async (comm, send, recv) => reduceScatter(comm, send, recv, COUNT, RedOp.Sum),
      result: [3],
      algorithm: 'direct',
    },
  ],
  [
    'allToAll',
    {
      query: { ...copy, collective: 'allToAll' },
      run: async (comm, send, recv) => allToAll(comm, send, recv, COUNT),
      result: [1, 2],
      algorithm: 'direct',
    },
  ],
];

describe('prepareCollective', () => {
  test.each(cases.filter((_, i) => (i % 3 === 0) !== inject('slow')))(
    'leaves only a launch to the first call: %s',
    async (_what, given) => {
      const { query, run, result, algorithm, lsaSize } = given;
      const calls: string[] = [];
      await using world = await World.open({ backend: noting(calls, 2, lsaSize) });
      const buffers = await world.run(async (comm) => {
        setSelection(comm, rules);
        const [send, recv] = [await comm.allocWindow(query.element, 16), await comm.allocWindow(query.element, 16)];
        await send.write(encodeArray(query.element, Array<number>(16).fill(comm.rank + 1)));
        expect((await prepareCollective(comm, query)).algorithm).toBe(algorithm);
        return { send, recv };
      });
      expect(calls).toContain('compile');
      calls.length = 0;
      await world.run(async (comm) => {
        const { send, recv } = at(buffers, comm.rank);
        await run(comm, send, recv);
        expect(calls.filter((call) => call !== 'setHostState' && call !== 'launch')).toEqual([]);
        const values = await (query.inPlace === true ? send : recv).read();
        expect(result.map((_, part) => Number(values[part * COUNT]))).toEqual(result);
      });
      expect(calls.filter((call) => call === 'launch')).toHaveLength(2);
    },
  );

  test('makes one more launch if it is repeated, also for another count', async () => {
    const calls: string[] = [];
    await using world = await World.open({ backend: noting(calls, 2) });
    await world.run(async (comm) => prepareCollective(comm, sum));
    calls.length = 0;
    await world.run(async (comm) => prepareCollective(comm, sum));
    await world.run(async (comm) => prepareCollective(comm, { ...sum, count: 2 * COUNT }));
    const rest = calls.filter((call) => call !== 'setHostState');
    expect(rest.toSorted()).toEqual(['launch', 'synchronize'].flatMap((call) => Array<string>(4).fill(call)));
  });

  test('does nothing for no elements', async () => {
    const calls: string[] = [];
    await using world = await World.open({ backend: noting(calls, 2) });
    await world.run(async (comm) => prepareCollective(comm, { ...sum, count: 0 }));
    expect(calls).not.toContain('compile');
    expect(calls).not.toContain('createDevComm');
  });

  test('prepares the algorithm and the CTAs of the options, on their stream', async () => {
    const selections = await inWorld(2, async (comm) => {
      await using stream = await comm.createStream();
      return await prepareCollective(comm, sum, { algorithm: 'ring', minCtas: 2, stream });
    });
    expect(selections.map(({ algorithm, ctas }) => [algorithm, ctas])).toEqual([
      ['ring', 2],
      ['ring', 2],
    ]);
  });

  test.each([2, 1].filter((ranks) => (ranks === 2) !== inject('slow')))(
    'leaves no finding in check mode, with %i ranks in a domain',
    async (lsaSize) => {
      const { results, findings } = await checked({ ranks: 2, lsaSize }, async (comm) => {
        await using stream = await comm.createStream();
        const [send, recv] = [await comm.allocWindow('f32', COUNT), await comm.allocWindow('f32', COUNT)];
        await send.write(new Float32Array(COUNT).fill(1));
        await prepareCollective(comm, sum);
        await prepareCollective(comm, { ...copy, collective: 'allGather' }, { stream });
        await prepareCollective(comm, { ...sum, collective: 'reduceScatter' });
        await allReduce(comm, send, recv, COUNT, RedOp.Sum);
        await prepareCollective(comm, sum);
        return (await recv.read())[0];
      });
      expect(results).toEqual([2, 2]);
      expect(findings).toEqual([]);
    },
  );
});

type Prepare = (comm: Communicator) => Promise<unknown>;

/** A value that only untyped JavaScript can pass. */
const noCollective: CollectiveQuery = JSON.parse('{"collective":"sum"}');

const misuses: readonly (readonly [what: string, call: Prepare, message: RegExp])[] = [
  ['collective', async (comm) => prepareCollective(comm, noCollective), /collective must be one of/],
  [
    'type',
    async (comm) => prepareCollective(comm, { ...sum, element: 'bool' }),
    /element must be one of i8, .*; given "bool"/,
  ],
  ['count', async (comm) => prepareCollective(comm, { ...sum, count: -1 }), /prepareCollective: count must be/],
  [
    'operator',
    async (comm) => prepareCollective(comm, { ...sum, op: undefined }),
    /op of allReduce must be one of sum/,
  ],
  [
    'operator of a copy',
    async (comm) => prepareCollective(comm, { ...sum, collective: 'broadcast' }),
    /op must be undefined because broadcast does not reduce/,
  ],
  [
    'place',
    async (comm) => prepareCollective(comm, { ...copy, collective: 'allToAll', inPlace: true }),
    /cannot prepare allToAll in place/,
  ],
  ['options', async (comm) => prepareCollective(comm, sum, { minCtas: 0 }), /prepareCollective: minCtas must be/],
  [
    'algorithm',
    async (comm) => prepareCollective(comm, { ...sum, inPlace: true }, { algorithm: 'oneShot' }),
    /allReduce: oneShot does not support this call: in place/,
  ],
  [
    'time: in a group',
    async (comm) => group(comm, async () => prepareCollective(comm, sum)),
    /cannot run in a group because it waits for a launch; call it before/,
  ],
  [
    'time: while a graph captures',
    async (comm) => comm.defaultStream.capture(async () => void (await prepareCollective(comm, sum))),
    /cannot run while a graph captures the stream/,
  ],
];

describe('prepareCollective fails, and later calls work', () => {
  test.each(misuses)('if the call has a wrong %s', async (_what, call, message) => {
    await inWorld(2, async (comm) => {
      await expect(call(comm)).rejects.toThrow(message);
      await prepareCollective(comm, sum);
    });
  });
});

describe('prepareCollective names itself', () => {
  test('if a rank never makes the first one', async () => {
    const run = inWorld(2, async (comm) => (comm.rank === 0 ? prepareCollective(comm, sum) : undefined));
    await expect(run).rejects.toMatchObject({
      code: 'NCCLTS_DEADLOCK',
      message: expect.stringMatching(
        /^prepareCollective of allReduce of 8 f32: all ranks must call it. .*Missing: rank 1/,
      ),
    });
  });

  test.for(slow)('if a rank does not repeat it', async () => {
    const run = inWorld(2, async (comm) => {
      await prepareCollective(comm, sum);
      if (comm.rank === 0) await prepareCollective(comm, sum);
    });
    await expect(run).rejects.toMatchObject({
      code: 'NCCLTS_DEADLOCK',
      message: expect.stringMatching(/kernel \S+ \(prepareCollective of allReduce of 8 f32\): rank 0/),
    });
  });

  test('if another rank makes the call that it prepares', async () => {
    const run = inWorld(2, async (comm) => {
      const buffer = await comm.allocWindow('f32', COUNT);
      if (comm.rank === 0) await prepareCollective(comm, sum);
      else await allReduce(comm, buffer, buffer, COUNT, RedOp.Sum);
      await comm.synchronize();
    });
    await expect(run).rejects.toMatchObject({
      code: 'NCCL_INVALID_USAGE',
      message: expect.stringMatching(
        /rank 0 calls prepareCollective of allReduce\(sum, 8 f32\), rank 1 calls allReduce\(sum, 8 f32\)/,
      ),
    });
  });
});
