import { expect, inject, it } from 'vitest';
import { noDeviceReason, softwareDevice } from '../support/gpu.ts';
import { differences } from './evaluate.ts';
import { exactFunctions, mathOperations } from './math-functions.ts';
import { binaryOperations, unaryOperations, wgslKinds } from './operations.ts';
import { rowsOf } from './values.ts';

const device = await softwareDevice();
const seed = 20250917;
/** With NCCLTS_EVERY_CASE set, four times as many rows. */
const rows = inject('everyCase') ? 20_000 : 5000;

it.for(wgslKinds)('%s: operations with one operand equal the reference', async (kind, { skip }) => {
  if (device === undefined) return skip(noDeviceReason);
  const operations = [...unaryOperations(kind), ...mathOperations(kind, 1, exactFunctions)];
  expect(await differences(device, kind, rowsOf(kind, 1, rows, seed), operations), `seed ${seed}`).toEqual([]);
});

const computing = wgslKinds.filter((kind) => binaryOperations(kind).length > 0);

it.for(computing)('%s: operations with two operands equal the reference', async (kind, { skip }) => {
  if (device === undefined) return skip(noDeviceReason);
  const found = await differences(device, kind, rowsOf(kind, 2, rows, seed), binaryOperations(kind));
  expect(found, `seed ${seed}`).toEqual([]);
});

const floats = ['f16', 'bf16', 'f32'] as const;

it.for(floats)('%s: fma equals the reference', async (kind, { skip }) => {
  if (device === undefined) return skip(noDeviceReason);
  const summands = rowsOf(kind, 3, 5 * rows, seed);
  const found = await differences(device, kind, summands, mathOperations(kind, 3, exactFunctions));
  expect(found, `seed ${seed}`).toEqual([]);
});

// The hardware's own division is only approximate, so it is left out.
it.for(floats)('%s: + - * and comparisons are rounded after each operation', async (kind, { skip }) => {
  if (device === undefined) return skip(noDeviceReason);
  const operations = binaryOperations(kind).filter(({ name }) => name !== 'div');
  const found = await differences(device, kind, rowsOf(kind, 2, rows, seed), operations, false);
  expect(found, `seed ${seed}`).toEqual([]);
});
