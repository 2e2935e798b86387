import type { RunningCta } from './running-cta.ts';
import type { BulkGroups } from '../program/program.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

/**
 * The kernels' reports about their bulk copies, by the names of the primitives. Only a checker uses
 * them, because the copies themselves are accesses.
 */
export function bulkCopies(): SupportFunctions {
  return {
    bulkBegin: ({ watch }: RunningCta, thread: number, _site: number, how?: 'store'): void =>
      watch?.bulk.begins(thread, how === 'store'),
    bulkCopied: ({ watch }: RunningCta, thread: number): void => watch?.bulk.copied(thread),
    bulkEnd: ({ watch }: RunningCta, thread: number, _site: number, how: BulkGroups | 'barrier'): void =>
      watch?.bulk.ends(thread, how === 'barrier' ? undefined : how),
    bulkCommit: ({ watch }: RunningCta, thread: number, _site: number, groups: BulkGroups): void =>
      watch?.bulk.commits(thread, groups),
    bulkWait: (
      { watch }: RunningCta,
      thread: number,
      _site: number,
      groups: BulkGroups,
      until: 'read' | 'written',
      left: number,
    ): void => watch?.bulk.waits(thread, left, until === 'read', groups),
    bulkFence: ({ watch }: RunningCta, thread: number): void => watch?.fenceProxy(thread),
  };
}
