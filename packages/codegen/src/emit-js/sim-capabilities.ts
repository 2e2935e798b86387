import { scalarKinds } from '@nccl-ts/core';
import type { Capabilities } from '@nccl-ts/ir';
import { primitives } from './emit-primitive.ts';

/**
 * The capabilities of every machine that the simulator can simulate, except for parts that a
 * machine may lack.
 */
export const simCapabilities: Omit<Capabilities, 'multimem'> = {
  backend: 'sim',
  scalars: scalarKinds,
  maxBlockThreads: 1024,
  maxSharedBytes: 227 * 1024,
  divergentWaits: true,
  subgroups: true,
  print: true,
  addressPointers: true,
  clusters: true,
  primitives: Object.freeze([...Object.keys(primitives), 'barrier.vote']),
  checks: Object.freeze(['bounds', 'alignment', 'fault', 'deadlock', 'misuse'] as const),
};
