import { webgpu } from '@nccl-ts/backend-webgpu';
import { World } from '@nccl-ts/communicator';
import { byShape, pairwiseCollectiveCases, problemsOf, runCollectiveCase } from '@nccl-ts/conformance';
import { afterAll, describe, expect, inject, test } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';

/**
 * One of this many pairwise cases runs. With NCCLTS_EVERY_CASE set, all run, which takes some
 * minutes. Of those that run, the quick tests have one world.
 */
const step = inject('everyCase') ? 1 : 64;
/** WebGPU has neither f64 nor a network. */
const possible = pairwiseCollectiveCases().filter(
  ({ element, op, algorithm }) => algorithm !== 'hierarchical' && (element !== 'f64' || op === 'none'),
);
const timeout = possible.length * 2000;

// All worlds share it, so that each reuses what others have compiled.
const acquired = noDevice === undefined ? await openDevice() : undefined;
afterAll(() => acquired?.dispose());

describe.skipIf(acquired === undefined)(`collectives equal a reference in f64${unlessDevice}`, () => {
  const all = byShape(possible.filter((_, i) => i % step === 0));
  const shapes = all.filter(({ shape }) => (shape.ranks === 3) !== inject('slow'));
  test.each(shapes)('on $shape.ranks ranks', { timeout }, async ({ shape, cases }) => {
    const device = acquired?.device;
    await using world = await World.open({ backend: webgpu({ ...shape, ...(device !== undefined && { device }) }) });
    expect(await problemsOf(world, cases, runCollectiveCase)).toEqual([]);
  });
});
