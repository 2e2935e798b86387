import type { Communicator } from '@nccl-ts/communicator';
import { backendShape, type BackendShape } from '../backend-shape.ts';

/** Returns the shape for the ranks of a communicator. */
export function shapeOn({ capabilities, nRanks, ranksPerDevice, software }: Communicator): BackendShape {
  return backendShape({ backend: capabilities.backend, nRanks, ranksPerDevice, software });
}
