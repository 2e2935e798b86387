import { tensorMap } from '@nccl-ts/harness';
import type { Allocation } from '@nccl-ts/harness';

/** The tiles of a matrix in the launches: 32 rows of 32 elements, whose rows have 64 bytes. */
const box = [32, 32] as const;

/**
 * The five parameters that Triton makes of a descriptor of a row-major matrix of bf16: the tensor
 * map, the shape and the strides.
 */
export const descriptor = (base: Allocation, rows: number, columns: number) => [
  tensorMap({ base, type: 'bf16', shape: [columns, rows], box, swizzle: '64B' }),
  rows,
  columns,
  columns,
  1,
];
