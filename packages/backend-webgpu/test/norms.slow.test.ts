import { webgpu } from '@nccl-ts/backend-webgpu';
import { World } from '@nccl-ts/communicator';
import { byShape, normCases, problemsOf, runNormCase } from '@nccl-ts/conformance';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';

/** With NCCLTS_EVERY_CASE set, all run. */
const every = inject('everyCase');
const chosen = normCases().filter(({ id }) => every || /^(plain|rowScales|integersOf)/.test(id));

// All worlds share it, so that each reuses what others have compiled.
const acquired = noDevice === undefined ? await openDevice() : undefined;
afterAll(() => acquired?.dispose());

describe.skipIf(acquired === undefined)(`allReduceRMSNorm equals a reference in f64${unlessDevice}`, () => {
  test.each(byShape(chosen))('on $shape.ranks ranks', { timeout: 120_000 }, async ({ shape, cases }) => {
    const device = acquired?.device;
    await using world = await World.open({ backend: webgpu({ ...shape, ...(device !== undefined && { device }) }) });
    expect(await problemsOf(world, cases, runNormCase)).toEqual([]);
  });
});
