import type { Communicator } from '@nccl-ts/communicator';
import type { SelectionQuery } from '../selection-rule.ts';

/** The values that a selection depends on, without those that the communicator knows. */
export type CommQuery = Omit<
  SelectionQuery,
  'backend' | 'nRanks' | 'ranksPerDevice' | 'software' | 'lsaSize' | 'nvlink'
>;

/** Completes a query with the values that the communicator knows. */
export function queryOn(
  { capabilities, nRanks, ranksPerDevice, software, lsaSize, nvlink }: Communicator,
  query: CommQuery,
): SelectionQuery {
  return { ...query, backend: capabilities.backend, nRanks, ranksPerDevice, software, lsaSize, nvlink };
}
