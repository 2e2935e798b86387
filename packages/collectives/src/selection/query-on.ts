import type { Communicator } from '@nccl-ts/communicator';
import type { SelectionQuery } from './selection-rule.ts';

/** The values that a selection depends on, without those that the communicator knows. */
export type CommQuery = Omit<
  SelectionQuery,
  'backend' | 'nRanks' | 'ranksPerDevice' | 'software' | 'lsaSize' | 'nvlink'
>;

/** A collective, and its position, as far as a selection depends on them. */
export interface CollectiveQuery extends CommQuery {
  /** True if the call is in place. @default false */
  readonly inPlace?: boolean;
}

/** Completes a query with the values that the communicator knows. */
export function queryOn(
  { capabilities, nRanks, ranksPerDevice, software, lsaSize, nvlink }: Communicator,
  query: CommQuery,
): SelectionQuery {
  return { ...query, backend: capabilities.backend, nRanks, ranksPerDevice, software, lsaSize, nvlink };
}
