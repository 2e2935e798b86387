import { WARP_SIZE } from '@nccl-ts/core';
import { languageOf, type FindingLabel, type SourceLanguage } from '@nccl-ts/findings';

/** The names that a language gives to what orders accesses. */
export interface SourceWords {
  /** The calls that let all threads of a CTA meet, and the lanes of a warp. */
  readonly ctaSync: string;
  readonly warpSync: string;
  /** How a write releases, and how a read acquires, between ranks. */
  readonly release: string;
  readonly acquire: string;
  readonly aliasFence: string;
  /** A fence of all ranks. */
  readonly systemFence: string;
  /** The calls after which the sources of the network's operations may be written again. */
  readonly sourceWait: string;
}

const words: Readonly<Record<SourceLanguage, SourceWords>> = {
  kernel: {
    ctaSync: 'coop.sync()',
    warpSync: 'coop.sync()',
    release: "store it with 'release', or put fence('release', 'system') before it",
    acquire: "load it with 'acquire', or put fence('acquire', 'system') after it",
    aliasFence: "fenceProxy('alias')",
    systemFence: "fence('acq_rel', 'system')",
    sourceWait: 'net.flush(coop), or a wait for its counter (localAction),',
  },
  cuda: {
    ctaSync: '__syncthreads()',
    warpSync: '__syncwarp() (a __syncthreads(), if other warps take part)',
    release: 'store it with st.release.sys (cuda::memory_order_release), or put __threadfence_system() before it',
    acquire: 'load it with ld.acquire.sys (cuda::memory_order_acquire), or put __threadfence_system() after it',
    aliasFence: 'fence.proxy.alias',
    systemFence: '__threadfence_system()',
    sourceWait: 'a flush, or nvshmem_quiet(),',
  },
  triton: {
    ctaSync: 'tl.debug_barrier()',
    warpSync: 'tl.debug_barrier()',
    release: 'use an atomic with sem="release" and scope="sys", or put fence.acq_rel.sys before it',
    acquire: 'use an atomic with sem="acquire" and scope="sys", or put fence.acq_rel.sys after it',
    aliasFence: 'fence.proxy.alias',
    systemFence: 'fence.acq_rel.sys',
    sourceWait: 'a flush, or nvshmem quiet,',
  },
  ptx: {
    ctaSync: 'bar.sync',
    warpSync: 'bar.warp.sync (bar.sync, if other warps take part)',
    release: 'store it with st.release.sys, or put fence.acq_rel.sys before it',
    acquire: 'load it with ld.acquire.sys, or put fence.acq_rel.sys after it',
    aliasFence: 'fence.proxy.alias',
    systemFence: 'fence.acq_rel.sys',
    sourceWait: 'a flush',
  },
};

/** The words for the lines of a finding. */
export function wordsFor(...labels: readonly (FindingLabel | undefined)[]): SourceWords {
  const languages = labels.map((label) => languageOf(label?.place)).filter((one) => one !== undefined);
  // A host's line is TypeScript, whatever the kernel is written in.
  return words[languages.find((one) => one !== 'kernel') ?? 'kernel'];
}

/** The call that lets two threads of one CTA meet: for lanes of one warp, that of the warp. */
export function syncOf(one: FindingLabel, other: FindingLabel): string {
  const { ctaSync, warpSync } = wordsFor(one, other);
  const warps = [one, other].map(({ thread }) => (thread === undefined ? undefined : Math.floor(thread / WARP_SIZE)));
  const isOneWarp = warps[0] !== undefined && warps[0] === warps[1];
  return isOneWarp ? warpSync : ctaSync;
}
