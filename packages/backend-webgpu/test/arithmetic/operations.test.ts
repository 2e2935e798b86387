import { expect, it } from 'vitest';
import { noDeviceReason, softwareDevice } from '../support/gpu.ts';
import { differences } from './evaluate.ts';
import { binaryOperations, unaryOperations, wgslKinds } from './operations.ts';
import { rowsOf } from './values.ts';

const device = await softwareDevice();
const seed = 20250917;

it.for(wgslKinds.filter((kind) => binaryOperations(kind).length > 0))(
  '%s: operations of two operands are those of the reference',
  async (kind, { skip }) => {
    if (device === undefined) return skip(noDeviceReason);
    const found = await differences(device, kind, rowsOf(kind, 2, 20_000, seed), binaryOperations(kind));
    expect(found, `seed ${seed}`).toEqual([]);
  },
);

it.for(wgslKinds)('%s: operations of one operand are those of the reference', async (kind, { skip }) => {
  if (device === undefined) return skip(noDeviceReason);
  const found = await differences(device, kind, rowsOf(kind, 1, 20_000, seed), unaryOperations(kind));
  expect(found, `seed ${seed}`).toEqual([]);
});
