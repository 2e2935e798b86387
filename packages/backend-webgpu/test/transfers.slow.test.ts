import { webgpu } from '@nccl-ts/backend-webgpu';
import { World } from '@nccl-ts/communicator';
import { byShape, problemsOf, runTransferCase, transferCases } from '@nccl-ts/conformance';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';

/** With NCCLTS_EVERY_CASE set, worlds of other sizes too. */
const every = inject('everyCase');
/** WebGPU has no network, and reduces no f64. */
const possible = transferCases().filter(
  ({ ranks, lsaSize, program, element }) =>
    ranks === lsaSize && (every || ranks === 4) && (program !== 'mixedGroups' || element !== 'f64'),
);

// All worlds share it, so that each reuses what others have compiled.
const acquired = noDevice === undefined ? await openDevice() : undefined;
afterAll(() => acquired?.dispose());

describe.skipIf(acquired === undefined)(`sends, puts and groups leave the right bytes${unlessDevice}`, () => {
  test.each(byShape(possible))('on $shape.ranks ranks', { timeout: 120_000 }, async ({ shape, cases }) => {
    const device = acquired?.device;
    await using world = await World.open({ backend: webgpu({ ...shape, ...(device !== undefined && { device }) }) });
    expect(await problemsOf(world, cases, runTransferCase)).toEqual([]);
  });
});
