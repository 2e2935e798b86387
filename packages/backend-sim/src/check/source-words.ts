import { WARP_SIZE } from '@nccl-ts/core';
import { languageOf, type FindingLabel, type SourceLanguage } from '@nccl-ts/findings';

/** The names that a language gives to what orders accesses. */
export interface SourceWords {
  /** The calls that let all threads of a CTA meet, and the lanes of a warp. */
  readonly ctaSync: string;
  readonly warpSync: string;
  /** How a write releases, and how a read acquires, between ranks or between CTAs of one GPU. */
  readonly release: OrderWords;
  readonly acquire: OrderWords;
  readonly aliasFence: string;
  /** A fence of all ranks. */
  readonly systemFence: string;
  /** A fence of all ranks that also orders a write before a later read. */
  readonly scFence: string;
  /** The calls after which the sources of the network's operations may be written again. */
  readonly sourceWait: string;
  /** The wait for a get, which has no counter. */
  readonly flush: string;
  /** How a whole CTA posts one operation of the network. */
  readonly wholeCta: string;
  /** How a stream waits for a launch on another one before it goes on with `late`. */
  readonly streamWait: (early: string, late: string) => string;
  /** How a launch that may begin early waits for the previous one. */
  readonly gridWait: string;
  /** True if kernels of the language have asynchronous copies. */
  readonly isCuda: boolean;
}

/** The change to an access of a flag. An atomic keeps its own instruction. */
type OrderWords = (scope: OrderScope, isAtomic: boolean) => string;

/** The scope in PTX, and the fence of CUDA C++. */
const scopes = {
  device: { ptx: 'gpu', fence: '__threadfence()' },
  system: { ptx: 'sys', fence: '__threadfence_system()' },
} as const;

type Order = 'release' | 'acquire';
type OrderScope = keyof typeof scopes;

/** An order that an access gets itself, or else from a fence on its side. */
function orderWords(
  order: Order,
  own: (scope: OrderScope, isAtomic: boolean) => string,
  fence: (scope: OrderScope) => string,
): OrderWords {
  const [access, side] = order === 'release' ? ['store it with', 'before'] : ['load it with', 'after'];
  return (scope, isAtomic) =>
    `${isAtomic ? 'give it' : access} ${own(scope, isAtomic)}, or put ${fence(scope)} ${side} it`;
}

function instruction(order: Order, scope: OrderScope, isAtomic: boolean): string {
  const access = order === 'release' ? 'st' : 'ld';
  return `${isAtomic ? '' : access}.${order}.${scopes[scope].ptx}`;
}

function cudaOrder(order: Order): OrderWords {
  return orderWords(
    order,
    (scope, isAtomic) => `${instruction(order, scope, isAtomic)} (cuda::memory_order_${order})`,
    (scope) => scopes[scope].fence,
  );
}

function ptxOrder(order: Order): OrderWords {
  return orderWords(
    order,
    (scope, isAtomic) => instruction(order, scope, isAtomic),
    (scope) => `fence.acq_rel.${scopes[scope].ptx}`,
  );
}

function tritonOrder(order: Order): OrderWords {
  return (scope) => {
    const { ptx } = scopes[scope];
    return `use an atomic with sem="${order}" and scope="${ptx}", or put fence.acq_rel.${ptx} ${order === 'release' ? 'before' : 'after'} it`;
  };
}

function kernelOrder(order: Order): OrderWords {
  return orderWords(
    order,
    () => `'${order}'`,
    (scope) => `fence('${order}', '${scope}')`,
  );
}

function waitForEvent(early: string, late: string): string {
  return `record an event after ${early}, and let the stream of ${late} wait for that (cudaEventRecord, cudaStreamWaitEvent)`;
}

const words: Readonly<Record<SourceLanguage, SourceWords>> = {
  kernel: {
    ctaSync: 'coop.sync()',
    warpSync: 'coop.sync()',
    release: kernelOrder('release'),
    acquire: kernelOrder('acquire'),
    aliasFence: "fenceProxy('alias')",
    systemFence: "fence('acq_rel', 'system')",
    scFence: "fence('seq_cst', 'system')",
    sourceWait: 'net.flush(coop), or a wait for its counter (localAction),',
    flush: 'net.flush(coop)',
    wholeCta: 'options.coop',
    streamWait: (early, late) => `let the host synchronize the stream of ${early} before it launches ${late}`,
    gridWait: 'gridDependencySync()',
    isCuda: false,
  },
  cuda: {
    ctaSync: '__syncthreads()',
    warpSync: '__syncwarp() (a __syncthreads(), if other warps take part)',
    release: cudaOrder('release'),
    acquire: cudaOrder('acquire'),
    aliasFence: 'fence.proxy.alias',
    systemFence: '__threadfence_system()',
    scFence: '__threadfence_system() (fence.sc.sys)',
    sourceWait: 'a flush, or nvshmem_quiet(),',
    flush: 'a flush (nvshmem_quiet() for NVSHMEM)',
    wholeCta: 'ncclCoopCta(), or an nvshmemx call for blocks',
    streamWait: waitForEvent,
    gridWait: 'cudaGridDependencySynchronize() (griddepcontrol.wait)',
    isCuda: true,
  },
  triton: {
    ctaSync: 'tl.debug_barrier()',
    warpSync: 'tl.debug_barrier()',
    release: tritonOrder('release'),
    acquire: tritonOrder('acquire'),
    aliasFence: 'fence.proxy.alias',
    systemFence: 'fence.acq_rel.sys',
    scFence: 'fence.sc.sys',
    sourceWait: 'a flush, or nvshmem quiet,',
    flush: 'a flush (nvshmem quiet)',
    wholeCta: 'a call for blocks',
    streamWait: waitForEvent,
    gridWait: 'tl.extra.cuda.gdc_wait()',
    isCuda: true,
  },
  ptx: {
    ctaSync: 'bar.sync',
    warpSync: 'bar.warp.sync (bar.sync, if other warps take part)',
    release: ptxOrder('release'),
    acquire: ptxOrder('acquire'),
    aliasFence: 'fence.proxy.alias',
    systemFence: 'fence.acq_rel.sys',
    scFence: 'fence.sc.sys',
    sourceWait: 'a flush',
    flush: 'a flush',
    wholeCta: 'a call for blocks',
    streamWait: waitForEvent,
    gridWait: 'griddepcontrol.wait',
    isCuda: true,
  },
};

/** The words for the lines of a finding. */
export function wordsFor(...labels: readonly (FindingLabel | undefined)[]): SourceWords {
  const languages = labels.map((label) => languageOf(label?.place)).filter((one) => one !== undefined);
  // A host's line is TypeScript, whatever the kernel is written in.
  return words[languages.find((one) => one !== 'kernel') ?? 'kernel'];
}

/** Says that no fence separates accesses by two addresses of the same bytes. */
export function missingAliasFence(...labels: readonly FindingLabel[]): string {
  return `${wordsFor(...labels).aliasFence} is missing between the two`;
}

/** The call that lets two threads of one CTA meet: for lanes of one warp, that of the warp. */
export function syncOf(one: FindingLabel, other: FindingLabel): string {
  const { ctaSync, warpSync } = wordsFor(one, other);
  const warps = [one, other].map(({ thread }) => (thread === undefined ? undefined : Math.floor(thread / WARP_SIZE)));
  const isOneWarp = warps[0] !== undefined && warps[0] === warps[1];
  return isOneWarp ? warpSync : ctaSync;
}
