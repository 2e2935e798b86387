import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { scalarInfo, scalarKinds, type ScalarKind } from '@nccl-ts/core';
import { window } from '@nccl-ts/devcomm';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { expect, inject, test } from 'vitest';
import { fillOf, fillWindow } from '../src/launch/window-contents.ts';
import { windowTypes } from '../src/launch/window-types.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

async function contents(
  type: ScalarKind,
  fill: string | undefined,
  count: number,
): Promise<ArrayLike<number | bigint>> {
  await using world = await World.open({ backend: sim({ ranks: 2 }) });
  const [, second = []] = await world.run(async (comm) => {
    const win = await comm.allocWindow(type, count);
    if (comm.rank === 1) await fillWindow(win, 'win', { type, fill: fillOf('win', type, fill) });
    return win.read();
  });
  return second;
}

async function valuesOf(...of: Parameters<typeof contents>): Promise<readonly (number | bigint)[]> {
  return Array.from(await contents(...of));
}

/** The first elements of rank 1: the narrowest floats have no 1.0625. */
function rampOf(type: ScalarKind): readonly number[] {
  if (type === 'e5m2') return [1, 1, 1];
  return type === 'e4m3' ? [1, 1, 1.125] : [1, 1.0625, 1.125];
}

test.for(scalarKinds.filter((kind) => kind !== 'bool'))('--fill fills windows of %s', async (type) => {
  const isWide = scalarInfo[type].class === 'int' && scalarInfo[type].bytes === 8;
  const values = (numbers: readonly number[]): readonly (number | bigint)[] =>
    isWide ? numbers.map((one) => BigInt(one)) : numbers;
  expect(await valuesOf(type, 'iota', 3)).toEqual(values([0, 1, 2]));
  expect(await valuesOf(type, '5', 2)).toEqual(values([5, 5]));
  const isFloat = scalarInfo[type].class === 'float';
  expect(await valuesOf(type, undefined, 3)).toEqual(values(isFloat ? rampOf(type) : [0, 0, 0]));
  const again = [...Array(17).keys(), 0, 1].map((i) => i + 1);
  if (!isFloat) expect(await valuesOf(type, 'ramp', 19)).toEqual(values(again));
  const random = await valuesOf(type, 'random', 64);
  expect(new Set(random).size).toBeGreaterThan(20);
  expect(await valuesOf(type, 'random', 64)).toEqual(random);
});

test('--fill fills windows of truth values', async () => {
  expect(await valuesOf('bool', 'true', 2)).toEqual([1, 1]);
  expect(await valuesOf('bool', undefined, 2)).toEqual([0, 0]);
});

test('--fill keeps the low bits of integers', async () => {
  const long = await valuesOf('i8', 'iota', 130);
  expect(long.slice(126)).toEqual([126, 127, -128, -127]);
});

test.for(slow)('a window that is filled in parts holds one continuous pattern', async () => {
  const count = 17 * 2 ** 14 + 5;
  const ramp = await contents('f32', 'ramp', count);
  const iota = await contents('u32', 'iota', count);
  // One by one, since so many expectations would take seconds.
  const wrong = Array.from({ length: count }, (_, i) => i).filter(
    (i) => ramp[i] !== 1 + (i % 17) / 16 || iota[i] !== i,
  );
  expect(wrong).toEqual([]);
});

test('--fill refuses a value of another type, and lists the patterns', () => {
  expect(() => fillOf('flags', 'u32', '-1')).toThrow(
    /--fill flags: .*\(u32\); given "-1"; or write ramp, iota, random/,
  );
  expect(() => fillOf('flags', 'f32', 'zeros')).toThrow(/or write ramp, iota, random/);
});

test("a window's default type is that of the kernel's accesses, if all of them agree", () => {
  const goes = kernel(
    { name: 'goes', use: { lsa }, params: { flags: window, data: window, both: window, cast: window } },
    ({ lsa, f64, u32, i32, u8, vec }, { flags, data, both }) => {
      lsa.pointer(flags, u32, 0, 1).store(0, 1, 'release', 'system');
      lsa.localPointer(data, vec(f64, 2), 0)[0] = vec(f64, 2)(1, 2);
      lsa.localPointer(both, i32, 0)[0] = 1;
      lsa.localPointer(both, u8, 0)[0] = 1;
    },
  );
  expect([...windowTypes(goes.compile())]).toEqual([
    ['flags', 'u32'],
    ['data', 'f64'],
  ]);
  const casts = kernel({ name: 'casts', use: { lsa }, params: { win: window } }, ({ lsa, u32, f32 }, { win }) => {
    lsa.localPointer(win, u32, 0).cast(f32)[0] = 1;
  });
  expect([...windowTypes(casts.compile())]).toEqual([]);
});
