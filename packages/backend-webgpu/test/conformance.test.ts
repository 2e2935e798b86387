import { webgpu } from '@nccl-ts/backend-webgpu';
import { conformance } from '@nccl-ts/conformance/vitest';
import { describe } from 'vitest';
import { noDevice, openDevice } from './support/device.ts';
import { expectations } from './support/expectations.ts';

// All worlds share it: opening one costs as much as a small case, and what it compiled for one world serves the next.
const acquired = noDevice === undefined ? await openDevice() : undefined;
const software = acquired?.software === true;

describe.skipIf(noDevice !== undefined)('in Node', () => {
  conformance({
    name: 'webgpu',
    backend: (shape) => webgpu({ ...shape, ...(acquired !== undefined && { device: acquired.device }) }),
    concurrent: true,
    // What other adapters do is theirs to say, and nobody has asked them.
    ...(software && { expectations, lock: '../conformance.lock.json' }),
  });
});
