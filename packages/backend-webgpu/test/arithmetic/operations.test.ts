import type { ScalarKind } from '@nccl-ts/core';
import { expect, inject, it } from 'vitest';
import { noDeviceReason, softwareDevice } from '../support/gpu.ts';
import { differences } from './evaluate.ts';
import { exactFunctions, mathOperations } from './math-functions.ts';
import { binaryOperations, unaryOperations, wgslKinds } from './operations.ts';
import { corners, rowsOf } from './values.ts';

/** The quick tests have an integer, or a float where there are only floats. */
const isNow =
  (quick: ScalarKind) =>
  (kind: ScalarKind): boolean =>
    (kind === quick) !== inject('slow');

const device = await softwareDevice();
const seed = 20250917;
const every = inject('everyCase');
/** The number of random rows. */
const rows = every ? 20_000 : 2000;

it.for(wgslKinds.filter(isNow('i32')))(
  '%s: operations with one operand equal the reference',
  async (kind, { skip }) => {
    if (device === undefined) return skip(noDeviceReason);
    const operations = [...unaryOperations(kind), ...mathOperations(kind, 1, exactFunctions)];
    // These are all values of few bits. Without NCCLTS_EVERY_CASE, the corners and one of seven
    // others run.
    const all = rowsOf(kind, 1, rows, seed);
    const chosen = every || all.length <= 10 * rows ? all : [...corners(kind).map((value) => [value]), ...seventh(all)];
    expect(await differences(device, kind, chosen, operations), `seed ${seed}`).toEqual([]);
  },
);

/** 7 is odd, so these have every pattern of the low bits, and of the high ones. */
function seventh<T>(all: readonly T[]): readonly T[] {
  return all.filter((_, i) => i % 7 === 0);
}

const computing = wgslKinds.filter((kind) => binaryOperations(kind).length > 0);

it.for(computing.filter(isNow('i32')))(
  '%s: operations with two operands equal the reference',
  async (kind, { skip }) => {
    if (device === undefined) return skip(noDeviceReason);
    const found = await differences(device, kind, rowsOf(kind, 2, rows, seed), binaryOperations(kind));
    expect(found, `seed ${seed}`).toEqual([]);
  },
);

const floats = ['f16', 'bf16', 'f32'] as const;

it.for(floats.filter(isNow('bf16')))('%s: fma equals the reference', async (kind, { skip }) => {
  if (device === undefined) return skip(noDeviceReason);
  const summands = rowsOf(kind, 3, 5 * rows, seed);
  const found = await differences(device, kind, summands, mathOperations(kind, 3, exactFunctions));
  expect(found, `seed ${seed}`).toEqual([]);
});

// The hardware's own division is only approximate, so it is left out.
it.for(floats.filter(isNow('bf16')))(
  '%s: + - * and comparisons are rounded after each operation',
  async (kind, { skip }) => {
    if (device === undefined) return skip(noDeviceReason);
    const operations = binaryOperations(kind).filter(({ name }) => name !== 'div');
    const found = await differences(device, kind, rowsOf(kind, 2, rows, seed), operations, false);
    expect(found, `seed ${seed}`).toEqual([]);
  },
);
