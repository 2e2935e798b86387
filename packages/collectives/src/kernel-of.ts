import { NcclError, reading, type ScalarKind } from '@nccl-ts/core';
import type { Kernel } from '@nccl-ts/kernel';
import { algorithmsOf, type Algorithm } from './algorithm.ts';
import { backendShape } from './backend-shape.ts';
import { collectiveShapes, type CollectiveName } from './collective.ts';
import { kernelTable } from './impl/ways.ts';
import { resolveOp, type ReduceOp } from './red-op.ts';

/** Identifies a kernel. */
export interface KernelQuery {
  readonly collective: CollectiveName;
  readonly algorithm: Algorithm;
  readonly element: ScalarKind;
  /** Needed where the collective reduces. */
  readonly op?: ReduceOp;
  /** Backends have separate kernels if these are faster. @default any */
  readonly backend?: string;
  /**
   * Ranks of the load-store domain; some backends have kernels for some numbers. @default any
   * number
   */
  readonly lsaSize?: number;
  /** The kernel for several calls, which a group makes together. @default false */
  readonly grouped?: boolean;
}

/**
 * The kernel of a collective, to read, emit or inspect. Its parameters are internal and may change:
 * launch it through the collective.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if there is none.
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
