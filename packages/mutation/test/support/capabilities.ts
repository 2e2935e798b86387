import { scalarKinds } from '@nccl-ts/core';
import type { Capabilities } from '@nccl-ts/ir';

/** The capabilities of a backend with every feature, such as the simulator. */
export const capabilities: Capabilities = Object.freeze({
  backend: 'test',
  scalars: scalarKinds,
  maxBlockThreads: 1024,
  maxSharedBytes: 1 << 16,
  divergentWaits: true,
  subgroups: true,
  print: true,
  multimem: true,
  primitives: ['gin.post', 'gin.acquire', 'gin.reset', 'gin.checkListed', 'gin.release'],
});
