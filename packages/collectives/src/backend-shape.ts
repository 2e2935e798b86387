import type { LL128Room } from './fifo/ll128.ts';
import type { SentinelRoom } from './fifo/sentinel.ts';
import { FIFO_SLOTS } from './fifo/step-fifo.ts';
import type { Pace } from './kernels/kernel-shape.ts';

/** A largest number of CTAs, and the threads of each. */
export interface Room {
  readonly ctas: number;
  readonly threads: number;
}

/** The placement of ranks. It is the same on all ranks, so that they all compute the same shape. */
export interface RankPlacement {
  readonly backend: string;
  readonly nRanks: number;
  /** The largest number of ranks that share a GPU. @default all of them on WebGPU, otherwise 1 */
  readonly ranksPerDevice?: number;
  /** True if the GPU is emulated in software. @default false */
  readonly software?: boolean;
}

/** The launch shapes for a backend, and the resources that a communicator has there. */
export interface BackendShape {
  /** The default shape of a launch. */
  readonly launch: Room;
  /** The number of bytes from which another CTA pays off. */
  readonly bytesPerCta: number;
  /** The numbers of ranks for which there are specialised kernels. */
  readonly knownRanks: readonly number[];
  /** The number of 16-byte accesses that a thread has in flight for each source. */
  readonly packs: number;
  /** The number of CTAs that have barriers. */
  readonly barriers: number;
  /** The limits of `ll`: each thread has a slot for every rank. */
  readonly ll: Room;
  /** The limits of `ll128`. */
  readonly ll128: LL128Room;
  /**
   * True if a line of 128 bytes that one instruction of a warp stores arrives as a whole, and one
   * instruction of a warp loads it as a whole.
   */
  readonly wholeLines: boolean;
  /**
   * The limits of `chunked`: the number of CTAs, and the bytes of a rank's part of a CTA's chunk.
   */
  readonly chunks: { readonly ctas: number; readonly partBytes: number };
  /** The limits of `sentinel`. */
  readonly sentinel: SentinelRoom;
  /** The largest number of CTAs that share a row of `allReduceRMSNorm`. */
  readonly rowParts: number;
  /** The limits of `ring`: the number of CTAs, and the bytes of a link's slot. */
  readonly ring: { readonly ctas: number; readonly slotBytes: number };
}

/** The number of threads of the largest CTA. */
export const ANY_THREADS = 1024;

/** The shape for backends with little memory, on which compiling takes longer than copying. */
const small = {
  knownRanks: [],
  packs: 1,
  barriers: 32,
  ll: { ctas: 8, threads: 256 },
  ll128: { ctas: 8, threads: 256, bytes: 1 << 15 },
  wholeLines: false,
  chunks: { ctas: 4, partBytes: 2048 },
  sentinel: { ctas: 8, threads: 256, bytes: 1 << 15 },
  rowParts: 1,
  ring: { ctas: 4, slotBytes: 16384 },
} as const;

const otherwise: BackendShape = Object.freeze({
  ...small,
  launch: { ctas: 16, threads: 256 },
  bytesPerCta: 1 << 14,
});

/**
 * Enough CTAs to fill a GPU that all ranks share, as measured on an H200 (see the package's
 * README).
 */
const CTAS_OF_ONE_GPU = 512;

function shapeOfWebgpu({ nRanks, ranksPerDevice = nRanks, software = false }: RankPlacement): BackendShape {
  // If a few cores run all threads, more threads cost time and gain nothing, whatever the rules
  // say.
  if (software) return { ...small, launch: { ctas: 8, threads: 64 }, bytesPerCta: 1 << 14, barriers: 8 };
  const sharing = Math.min(nRanks, ranksPerDevice);
  const ctas = Math.min(256, Math.max(8, Math.floor(CTAS_OF_ONE_GPU / sharing)));
  return {
    ...small,
    launch: { ctas, threads: 256 },
    bytesPerCta: 1 << 15,
    barriers: Math.max(small.barriers, ctas),
  };
}

/** One host thread runs all CTAs, so more CTAs cost time and gain nothing. */
const sim: BackendShape = Object.freeze({
  ...small,
  ll128: { ctas: 8, threads: 64, bytes: 1 << 14 },
  sentinel: { ctas: 8, threads: 64, bytes: 1 << 14 },
  launch: { ctas: 1, threads: 64 },
  bytesPerCta: 1 << 20,
});

/**
 * The scratch memory for chunks, links and flags is about 100 MiB on four GPUs, and twice that on
 * eight.
 */
const cuda: BackendShape = Object.freeze({
  launch: { ctas: 64, threads: 512 },
  bytesPerCta: 1 << 13,
  knownRanks: [2, 4, 8],
  packs: 4,
  barriers: 128,
  ll: { ctas: 128, threads: 512 },
  chunks: { ctas: 128, partBytes: 1 << 16 },
  // Its lines take 18 MB for 2 ranks.
  ll128: { ctas: 264, threads: 512, bytes: 1 << 23 },
  wholeLines: true,
  // Two CTAs for each multiprocessor of an H100. Calls of 8 MiB of two ranks take one turn.
  sentinel: { ctas: 264, threads: 512, bytes: 264 * 2048 * 16 },
  rowParts: 8,
  ring: { ctas: 32, slotBytes: (1 << 20) / FIFO_SLOTS },
});

/**
 * The number of CTAs, over all ranks of a GPU, that any GPU with 32 multiprocessors runs at the
 * same time, with `SHARED_THREADS` each.
 */
const SHARED_CTAS = 64;
const SHARED_THREADS = 256;

/** With more ranks, registers limit the threads of `ll128`. Its lines then take 18 to 30 MB. */
const cudaOfMany: BackendShape = Object.freeze({ ...cuda, ll128: { ...cuda.ll128, threads: 256 } });

function shapeOfCuda({ nRanks, ranksPerDevice = 1 }: RankPlacement): BackendShape {
  if (ranksPerDevice === 1) return nRanks > 2 ? cudaOfMany : cuda;
  const ctas = Math.max(1, Math.floor(SHARED_CTAS / ranksPerDevice));
  const launch = { ctas, threads: SHARED_THREADS };
  return {
    ...cuda,
    launch,
    barriers: ctas,
    ll: launch,
    chunks: { ...cuda.chunks, ctas },
    ll128: { ...cuda.ll128, ...launch },
    sentinel: { ...cuda.sentinel, ...launch },
    rowParts: 1,
    ring: { ...cuda.ring, ctas },
  };
}

const shapes: ReadonlyMap<string, (machine: RankPlacement) => BackendShape> = /* @__PURE__ */ new Map([
  ['sim', () => sim],
  ['cuda', shapeOfCuda],
  ['webgpu', shapeOfWebgpu],
]);

export function backendShape(machine: RankPlacement): BackendShape {
  return shapes.get(machine.backend)?.(machine) ?? otherwise;
}

/** The pace of kernels for a load-store domain of `lsaSize` ranks. */
export function paceOf({ knownRanks, packs }: BackendShape, lsaSize: number): Pace {
  return { ranks: knownRanks.includes(lsaSize) ? lsaSize : 0, packs };
}
