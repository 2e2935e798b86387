import { allCases } from '@nccl-ts/conformance';
import type { Kernel } from '@nccl-ts/kernel';
import {
  fabricBarriers,
  fabricCounted,
  fabricFences,
  fabricOperations,
  fabricParameter,
  fabricReductions,
  fabricReductionsCounted,
  fabricResources,
} from '../support/fabric-kernels.ts';
import { barriers, basics, requests, signals, timed, waits } from '../support/gin-kernels.ts';

/** A part of the device API, with kernels that make its calls. */
export interface VersionRow {
  readonly title: string;
  readonly kernels: readonly Kernel[];
  /** True if the declarations that replace NCCL's headers in tests have these calls. */
  readonly standIns: boolean;
}

/** The rows of the version table. */
export const versionRows: readonly VersionRow[] = [
  {
    title: 'pointers and LSA barriers',
    kernels: ofCases('barriers/sessions/two-at-once', 'barriers/timeout/in-time'),
    standIns: false,
  },
  {
    title: 'low-latency all-to-all',
    kernels: ofCases('ll-a2a/epochs/many', 'll-a2a/receiving/bcast'),
    standIns: false,
  },
  {
    title: 'reduce and copy',
    kernels: ofCases('reduce-copy/lsa-reduce-sum-copy/windows', 'reduce-copy/lsa-copy'),
    standIns: false,
  },
  { title: 'multicast addresses', kernels: ofCases('multimem/load-reduce/f32', 'multimem/pointers'), standIns: false },
  { title: 'GIN: put, signal, flush, waits', kernels: [basics], standIns: true },
  { title: 'GIN: signals at addresses, strong and weak signals', kernels: [signals, waits], standIns: true },
  { title: 'GIN: get, flushAsync, segments', kernels: [requests], standIns: true },
  { title: 'GIN: barriers with fences, over all contexts', kernels: [barriers], standIns: true },
  { title: 'GIN: waits with a time limit', kernels: [timed], standIns: true },
  { title: 'fences of the fabric proxy', kernels: [fabricFences], standIns: true },
  { title: 'CFT: put, get, multicast', kernels: [fabricOperations], standIns: true },
  {
    title: 'CFT: endpoints of resource buffers, and as parameters',
    kernels: [fabricResources, fabricParameter],
    standIns: true,
  },
  { title: 'CFT: reductions', kernels: [fabricReductions], standIns: true },
  { title: 'CFT: barriers', kernels: [fabricBarriers], standIns: true },
  { title: 'CFT: counted operations', kernels: [fabricCounted, fabricReductionsCounted], standIns: true },
  {
    title: 'hybrid barriers',
    kernels: ofCases(
      'hybrid-barriers/world/fence-put',
      'hybrid-barriers/world/rail-connection',
      'hybrid-barriers/rail',
      'hybrid-barriers/multimem',
    ),
    standIns: false,
  },
];

/** Returns the first kernel of each of these cases. */
function ofCases(...ids: readonly string[]): readonly Kernel[] {
  return ids.map((id) => {
    const first = allCases.find((one) => one.id === id)?.kernels[0];
    if (first === undefined) throw new Error(`There is no case ${id} with a kernel.`);
    return first;
  });
}
