import { collectiveShapes, NcclError, reading, type CollectiveName, type ScalarKind } from '@nccl-ts/core';
import type { Kernel } from '@nccl-ts/kernel';
import { algorithmsOf, type Algorithm } from '../algorithms/algorithm.ts';
import { backendShape } from '../backend-shape.ts';
import { kernelTable } from '../impl/selected-algorithm.ts';
import { resolveOp, type ReduceOp } from '../red-op.ts';

/** Identifies a kernel. */
export interface KernelQuery {
  readonly collective: CollectiveName;
  readonly algorithm: Algorithm;
  readonly element: ScalarKind;
  /** Required if the collective reduces. */
  readonly op?: ReduceOp;
  /** The backend, for backends that have faster kernels of their own. @default any */
  readonly backend?: string;
  /**
   * The size of the load-store domain. Some backends have specialised kernels for some
   * sizes.
   *
   * @default any number
   */
  readonly lsaSize?: number;
  /** True for the kernel that runs several calls of a group. @default false */
  readonly grouped?: boolean;
}

/**
 * Returns the kernel of a collective, to read, emit or inspect. Its parameters are internal and may
 * change; use the collective to launch it.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if there is no such kernel.
 */
export function kernelOf(query: KernelQuery): Kernel {
  return reading('kernelOf', () => kernelFor(query));
}

function kernelFor(query: KernelQuery): Kernel {
  const { collective, algorithm, element, op, backend = '', lsaSize = 0, grouped = false } = query;
  const what = `kernelOf ${collective}`;
  if (!algorithmsOf[collective].includes(algorithm)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what}: there is no algorithm ${algorithm}; there is ${algorithmsOf[collective].join(', ')}.`,
    );
  }
  if (op === undefined && collectiveShapes[collective].reduces) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what}: op is missing, but the collective reduces: pass one, such as RedOp.Sum.`,
    );
  }
  const name = op === undefined ? undefined : resolveOp(op, element, what).name;
  const shape = backendShape({ backend, nRanks: lsaSize });
  const { one, several } = kernelTable.get({ collective, algorithm, element, op: name, wide: false, lsaSize, shape });
  return grouped ? several : one;
}
