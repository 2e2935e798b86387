import type { SentinelRoom } from './fifo/sentinel.ts';
import { FIFO_SLOTS } from './fifo/step-fifo.ts';
import type { Pace } from './kernels/kernel-shape.ts';

/** CTAs at most, and threads of each. */
export interface Room {
  readonly ctas: number;
  readonly threads: number;
}

/** The placement of ranks: the same for all of them, so that all have the same shape. */
export interface Place {
  readonly backend: string;
  readonly nRanks: number;
  /** Ranks that share a GPU, at most. @default all of them by WebGPU, 1 elsewhere */
  readonly ranksPerDevice?: number;
  /** True if a program for the CPU takes the role of the GPU. @default false */
  readonly software?: boolean;
}

/** The launch shapes for a backend, and the resources of a communicator there. */
export interface BackendShape {
  /** The default shape of a launch. */
  readonly launch: Room;
  /** Bytes that make another CTA worth its while. */
  readonly bytesPerCta: number;
  /** Kernels are made for the number of ranks, where it is one of these. */
  readonly knownRanks: readonly number[];
  /** The number of 16-byte accesses that a thread has in flight for each source. */
  readonly packs: number;
  /** The number of CTAs that have barriers. */
  readonly barriers: number;
  /** The limits for data with flags: each thread has a slot for every rank. */
  readonly ll: Room;
  /** The limits of `chunked`: CTAs, and bytes of a rank's part of a CTA's chunk. */
  readonly chunks: { readonly ctas: number; readonly partBytes: number };
  /** The limits of `sentinel`. */
  readonly sentinel: SentinelRoom;
  /** The limits of `ring`: CTAs, and bytes of a slot of their links. */
  readonly ring: { readonly ctas: number; readonly slotBytes: number };
}

/** Threads of the largest CTA. */
export const ANY_THREADS = 1024;

/** The shape for backends with little memory, where compiling takes longer than copying. */
const small = {
  knownRanks: [],
  packs: 1,
  barriers: 32,
  ll: { ctas: 8, threads: 256 },
  chunks: { ctas: 4, partBytes: 2048 },
  sentinel: { ctas: 8, threads: 256, bytes: 1 << 15 },
  ring: { ctas: 4, slotBytes: 16384 },
} as const;

const otherwise: BackendShape = Object.freeze({
  ...small,
  launch: { ctas: 16, threads: 256 },
  bytesPerCta: 1 << 14,
});

/** Fills a GPU that all ranks share: measured on an H200 (see the package's README). */
const CTAS_OF_ONE_GPU = 512;

function shapeOfWebgpu({ nRanks, ranksPerDevice = nRanks, software = false }: Place): BackendShape {
  // Where a few cores run all of it, threads are work and no more speed, whatever rules ask for.
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

/** One thread runs all: more CTAs are more work and no more speed. */
const sim: BackendShape = Object.freeze({
  ...small,
  sentinel: { ctas: 8, threads: 64, bytes: 1 << 14 },
  launch: { ctas: 1, threads: 64 },
  bytesPerCta: 1 << 20,
});

/** Scratch for chunks, links and flags: some 100 MiB on four GPUs, twice that on eight. */
const cuda: BackendShape = Object.freeze({
  launch: { ctas: 64, threads: 512 },
  bytesPerCta: 1 << 13,
  knownRanks: [2, 4, 8],
  packs: 4,
  barriers: 128,
  ll: { ctas: 128, threads: 512 },
  chunks: { ctas: 128, partBytes: 1 << 16 },
  // Two CTAs for each multiprocessor of an H100.
  sentinel: { ctas: 264, threads: 512, bytes: 1 << 23 },
  ring: { ctas: 32, slotBytes: (1 << 20) / FIFO_SLOTS },
});

/**
 * CTAs of all ranks of a GPU together that any GPU with 32 multiprocessors runs side by side, with
 * `SHARED_THREADS` each.
 */
const SHARED_CTAS = 64;
const SHARED_THREADS = 256;

function shapeOfCuda({ ranksPerDevice = 1 }: Place): BackendShape {
  if (ranksPerDevice === 1) return cuda;
  const ctas = Math.max(1, Math.floor(SHARED_CTAS / ranksPerDevice));
  const launch = { ctas, threads: SHARED_THREADS };
  return {
    ...cuda,
    launch,
    barriers: ctas,
    ll: launch,
    chunks: { ...cuda.chunks, ctas },
    sentinel: { ...cuda.sentinel, ...launch },
    ring: { ...cuda.ring, ctas },
  };
}

const shapes: ReadonlyMap<string, (place: Place) => BackendShape> = /* @__PURE__ */ new Map([
  ['sim', () => sim],
  ['cuda', shapeOfCuda],
  ['webgpu', shapeOfWebgpu],
]);

export function backendShape(place: Place): BackendShape {
  return shapes.get(place.backend)?.(place) ?? otherwise;
}

/** The pace of kernels for a load-store domain of `lsaSize` ranks. */
export function paceOf({ knownRanks, packs }: BackendShape, lsaSize: number): Pace {
  return { ranks: knownRanks.includes(lsaSize) ? lsaSize : 0, packs };
}
