import type { MemoryOrder, MemoryProxy } from '@nccl-ts/core';
import { SYSTEM } from '../scope.ts';
import { fabricPair } from '../fabric-pair.ts';
import type { GroupClocks } from './group-clocks.ts';
import type { HappensBefore } from './happens-before.ts';
import { acquiring, releasing } from './orders.ts';

/** The arguments of a fence of the fabric proxy. */
export interface FabricFence {
  readonly producer: MemoryProxy;
  readonly consumer: MemoryProxy;
  readonly order: MemoryOrder;
  /** `block` is for shared memory that an operation of the fabric uses. */
  readonly scope: 'block' | 'system';
}

/**
 * Handles a thread's fence of the fabric proxy. As in NCCL, the acquire comes before the release,
 * so one fence with both does not order two accesses of one thread.
 */
export function fenceFabric(watch: HappensBefore, group: GroupClocks, thread: number, fence: FabricFence): void {
  const { order, scope } = fence;
  if (scope === 'block') {
    if (releasing[order]) group.fenceProxy(thread);
    return;
  }
  const pair = fabricPair(fence.producer, fence.consumer);
  if (acquiring[order]) {
    watch.fence(group, thread, 'acquire', SYSTEM);
    if (pair !== undefined) group.fabricAcquires(pair);
  }
  if (releasing[order]) {
    if (pair !== undefined) group.fabricReleases(thread, pair);
    watch.fence(group, thread, 'release', SYSTEM);
  }
}
