import { sim } from '@nccl-ts/backend-sim';
import { allReduce, setSelection, type SelectionRule } from '@nccl-ts/collectives';
import { World, type Communicator, type Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { expect, inject, test } from 'vitest';

/** A simulator that records the kernels that it compiles. */
function noting(names: string[]) {
  const backend = sim({ ranks: 2 });
  return {
    ...backend,
    open: async (options: Parameters<typeof backend.open>[0]) => {
      const world = await backend.open(options);
      const compile = world.compile.bind(world);
      return Object.assign(world, {
        compile: async (...[module, how]: Parameters<typeof compile>) => {
          names.push(module.name);
          return compile(module, how);
        },
      });
    },
  };
}

type Step = (comm: Communicator, a: Window<'i32'>, b: Window<'i32'>) => Promise<void> | void;

/** The kernels that the steps run, in order of first use. */
async function kernelsOf(...steps: readonly Step[]): Promise<readonly string[]> {
  const names: string[] = [];
  await using world = await World.open({ backend: noting(names) });
  await world.run(async (comm) => {
    const [a, b] = [await comm.allocWindow('i32', 16), await comm.allocWindow('i32', 16)];
    for (const step of steps) await step(comm, a, b);
  });
  return names;
}

const ring: SelectionRule = { collective: 'allReduce', algorithm: 'ring' };
const oneShot: SelectionRule = { collective: 'allReduce', algorithm: 'oneShot' };
const apart: Step = async (comm, a, b) => allReduce(comm, a, b, 16, RedOp.Sum);
const inPlace: Step = async (comm, a) => allReduce(comm, a, a, 16, RedOp.Sum);
const by =
  (...rules: readonly SelectionRule[]): Step =>
  (comm) =>
    setSelection(comm, rules);

test('equal calls reuse one choice until the rules change', async () => {
  expect(await kernelsOf(apart, apart, by(ring), apart, apart)).toEqual(['twoShotAllReduce', 'ringAllReduce']);
});

test.each(
  (
    [
      ['in place', inPlace, 'twoShotAllReduce'],
      ['another operator', async (comm, a, b) => allReduce(comm, a, b, 16, RedOp.Max), 'oneShotAllReduce'],
      [
        'another algorithm',
        async (comm, a, b) => allReduce(comm, a, b, 16, RedOp.Sum, { algorithm: 'chunked' }),
        'chunkedAllReduce',
      ],
      [
        'other elements',
        async (comm, a, b) => allReduce(comm, a.symPtr(0, 'u8'), b.symPtr(0, 'u8'), 16, RedOp.Sum),
        'oneShotAllReduce',
      ],
    ] satisfies [what: string, other: Step, kernel: string][]
  ).filter((_, i) => (i % 2 === 0) !== inject('slow')),
)('a call with another %s makes a new choice', async (_, other, kernel) => {
  expect(await kernelsOf(by(oneShot), apart, other)).toEqual(['oneShotAllReduce', kernel]);
});

test('each communicator has rules of its own', async () => {
  const split: Step = async (comm, a, b) => {
    const half = await comm.split(0);
    const [c, d] = [await half.allocWindow('i32', 16), await half.allocWindow('i32', 16)];
    setSelection(half, [ring]);
    await allReduce(half, c, d, 16, RedOp.Sum);
    await allReduce(comm, a, b, 16, RedOp.Sum);
  };
  expect(await kernelsOf(apart, split)).toEqual(['twoShotAllReduce', 'ringAllReduce']);
});
