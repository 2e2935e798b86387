import { webgpu } from '@nccl-ts/backend-webgpu';
import { conformanceMutants } from '@nccl-ts/conformance/vitest';
import { describe } from 'vitest';
import { noDevice, openDevice, unlessDevice } from './support/device.ts';

const acquired = noDevice === undefined ? await openDevice() : undefined;
const reason = 'every CTA comes to its wait before any of them goes on, so nobody overtakes whom it should wait for';

describe.skipIf(noDevice !== undefined)(`the mutants of the conformance suite in Node${unlessDevice}`, () => {
  conformanceMutants({
    name: 'webgpu',
    backend: (shape) => webgpu({ ...shape, ...(acquired !== undefined && { device: acquired.device }) }),
    concurrent: true,
    unseen: [
      { mutant: 'epochs-are-forgotten', case: 'barriers/sessions/in-turn', reason },
      { mutant: 'epochs-do-not-wrap', case: 'barriers/epochs/wrap-around', reason },
      { mutant: 'waits-for-nobody', case: 'waiting/spin-loops', reason },
    ],
  });
});
