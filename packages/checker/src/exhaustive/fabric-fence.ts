import { acquireOrderOf, releaseOrderOf } from '@nccl-ts/core';
import type { FenceFabricStatement } from '@nccl-ts/ir';
import { fabricPair, fence, fenceProxy } from '@nccl-ts/memory-model';
import type { Steps } from './steps.ts';

/**
 * Runs a thread's fence of the fabric proxy. As in NCCL, its acquire comes before its release, so
 * one fence with both does not order two accesses of one thread. With block scope, it is a proxy
 * fence of shared memory.
 */
export function* fabricFence({ producer, consumer, access }: FenceFabricStatement, site: number): Steps<void> {
  const { scope } = access;
  const [acquire, release] = [acquireOrderOf(access.order), releaseOrderOf(access.order)];
  if (scope === 'block') {
    if (release !== 'relaxed') yield* fenceProxy(site);
    return;
  }
  const pair = fabricPair(producer, consumer);
  if (acquire !== 'relaxed') {
    yield* fence({ order: acquire, scope }, site);
    if (pair !== undefined) yield* fenceProxy(site, { pair, half: 'acquire' });
  }
  if (release !== 'relaxed') {
    if (pair !== undefined) yield* fenceProxy(site, { pair, half: 'release' });
    yield* fence({ order: release, scope }, site);
  }
}
