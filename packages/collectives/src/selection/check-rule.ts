import { collectiveNames, NcclError } from '@nccl-ts/core';
import { algorithmsOf } from '../algorithms/algorithm.ts';
import type { SelectionRule } from './selection-rule.ts';

/** @throws NcclError `NCCL_INVALID_ARGUMENT` if a rule names an unknown collective or algorithm. */
export function checkRule({ collective, algorithm }: SelectionRule, what: string): void {
  if (!collectiveNames.includes(collective)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what}: there is no collective ${collective}; there is ${collectiveNames.join(', ')}.`,
    );
  }
  if (!algorithmsOf[collective].includes(algorithm)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${what}: ${collective} has ${algorithmsOf[collective].join(', ')}, but no ${algorithm}.`,
    );
  }
}
