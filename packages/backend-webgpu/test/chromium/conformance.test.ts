import { webgpu } from '@nccl-ts/backend-webgpu';
import { allCases } from '@nccl-ts/conformance';
import { conformance, type RunSample } from '@nccl-ts/conformance/vitest';
import { describe, inject } from 'vitest';
import { acquireDevice } from '../../src/gpu/acquire-device.ts';
import type { AcquiredDevice } from '../../src/gpu/acquired-device.ts';
import { expectations } from '../support/expectations.ts';

/**
 * Runs one of this many cases in one shape, and the next case in the next shape, because Node runs
 * all of them. With NCCLTS_EVERY_CASE set, all run. The quick tests have two of these.
 */
const step = inject('everyCase') ? 1 : 10;
const cases = allCases.filter((_, i) => i % step === 0);
const quick: readonly string[] = ['vectors/f32x4', 'barriers/arrive-wait'];
const places = new Map<string, number>(cases.map(({ id }, i) => [id, i]));
const sample: RunSample = {
  takes: ({ case: one, shape }) => {
    const place = places.get(one.id) ?? 0;
    return quick.includes(one.id) !== inject('slow') && one.shapes.indexOf(shape) === place % one.shapes.length;
  },
};
const { acquired, reason } = await acquire();
const software = acquired?.software === true;

describe.skipIf(acquired === undefined)(
  `the conformance suite in Chromium${reason === undefined ? '' : ` (skipped: ${reason})`}`,
  () => {
    conformance({
      name: 'webgpu',
      backend: (shape) => webgpu({ ...shape, ...(acquired !== undefined && { device: acquired.device }) }),
      // A dispatch and its reply take milliseconds here, during which others run.
      concurrent: true,
      cases,
      // The driver is the one of the Node tests, which run every case in all ways and compare the
      // verdicts with the lock file.
      variants: ['plain'],
      ...((step > 1 || !inject('slow')) && { sample }),
      ...(software && {
        expectations: expectations.filter((expected) => cases.some(({ id }) => id === expected.case)),
      }),
    });
  },
);

async function acquire(): Promise<{ acquired?: AcquiredDevice; reason?: string }> {
  try {
    return { acquired: await acquireDevice({ device: undefined, adapter: undefined, powerPreference: undefined }) };
  } catch (error) {
    if (inject('ci')) throw error;
    return { reason: String(error) };
  }
}
