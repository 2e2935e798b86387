import { machines } from '@nccl-ts/cost-model';
import { changeablePlaces } from '@nccl-ts/prediction';
import { expect, inject, test } from 'vitest';
import { examples } from '../src/examples.ts';

/** The quick tests have two of them. */
const isNow = ({ name }: { readonly name: string }): boolean =>
  ['05-rmsnorm-lsa', '07-alltoall-lsa-simple'].includes(name) !== inject('slow');

/** The examples that need no multicast, which no machine profile has. */
const predicted = examples.filter(({ needs }) => !needs.includes('multimem')).filter(isNow);

const options = { ranks: 4, machine: machines['h100-nvlink4'], bounds: false };

/** Statements that synchronize, and calls that contain them. */
const synchronizing = /^(?:sync|fence|wait|waitAll)$|\.(?:sync|arrive|wait\w*)$/;

test.each(predicted)('every synchronization of $name has its cost by line', { timeout: 60_000 }, async ({ small }) => {
  const { prediction, places } = await changeablePlaces({ ...options, lsaSize: 2 }, async (backend) =>
    small({ backend, print: () => undefined }),
  );
  const { syncs, path, nanoseconds } = prediction;
  const lines = places.filter(({ names }) => names.some((name) => synchronizing.test(name))).map(({ at }) => at);
  expect(lines).not.toEqual([]);
  expect(syncs.map(({ at }) => at)).toEqual(expect.arrayContaining(lines));
  const cost = syncs.reduce((sum, one) => sum + one.nanoseconds, 0);
  expect(cost).toBeGreaterThan(0);
  const isRest = ({ kind, at }: (typeof path)[number]): boolean => kind === 'launch' || kind === 'compute' || at === '';
  const rest = path.filter(isRest).reduce((sum, part) => sum + part.nanoseconds, 0);
  expect(Math.abs(cost + rest - nanoseconds)).toBeLessThan(0.05 * nanoseconds);
});
