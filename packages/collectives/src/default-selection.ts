import type { Algorithm } from './algorithm.ts';
import type { CollectiveName } from './collective.ts';
import type { SelectionRule } from './selection-rule.ts';

/** Sends small amounts with flags: in CTAs of few threads, if everything fits into one turn. */
function llUpTo(collective: CollectiveName): readonly SelectionRule[] {
  return [
    { collective, algorithm: 'll', backend: 'cuda', maxBytes: 1 << 16, threads: 128 },
    { collective, algorithm: 'll', backend: 'cuda', maxRanks: 4, maxBytes: 1 << 18 },
    { collective, algorithm: 'll', backend: 'cuda', maxRanks: 2, maxBytes: 1 << 19, ctas: 128 },
  ];
}

/**
 * Sends lines of 128 bytes with one flag each, which only NVLink delivers whole, in as many CTAs as
 * there is room for. `mostOfTwo` and `mostOfFour` are the largest numbers of bytes for two ranks
 * and for three or four. The smallest calls still use `ll`.
 */
function linesUpTo(collective: CollectiveName, mostOfTwo: number, mostOfFour: number): readonly SelectionRule[] {
  const two = { collective, backend: 'cuda', nvlink: true, maxRanks: 2 } as const;
  const four = { ...two, minRanks: 3, maxRanks: 4 } as const;
  return [
    { ...two, algorithm: 'll', maxBytes: 1 << 16, threads: 128 },
    { ...two, algorithm: 'll128', maxBytes: 1 << 20, ctas: 264, threads: 256 },
    { ...two, algorithm: 'll128', maxBytes: mostOfTwo, ctas: 264, threads: 512 },
    { ...four, algorithm: 'll', maxBytes: 1 << 15, threads: 128 },
    { ...four, algorithm: 'll128', maxBytes: mostOfFour, ctas: 264, threads: 256 },
  ];
}

/**
 * Uses as many CTAs as there is room for: as far as possible, each 16-byte word has its own thread.
 */
const sentinelOnCuda = { collective: 'allReduce', algorithm: 'sentinel', backend: 'cuda', ctas: 264 } as const;

/**
 * Sends floats without flags if all elements reach every peer in less time than barriers take. The
 * shapes and limits for 2 and 4 ranks were measured on H100s. Those for 8 ranks are not measured.
 * They follow from the bytes that a rank sends: those of the call, times the number of peers.
 */
const sentinelUpTo: readonly SelectionRule[] = [
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 18, threads: 256 },
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 20, ctas: 132, threads: 512 },
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 23, threads: 256 },
  { ...sentinelOnCuda, maxRanks: 4, maxBytes: 1 << 19, threads: 256 },
  { ...sentinelOnCuda, maxRanks: 8, maxBytes: 1 << 18, threads: 256 },
];

/** On a GPU that ranks share, fewer CTAs are faster if each rank stores to all other ranks. */
function toAllOnOneGpu(collective: CollectiveName, algorithm: Algorithm): readonly SelectionRule[] {
  return [
    { collective, algorithm, backend: 'webgpu', maxRanks: 2, ctas: 128 },
    { collective, algorithm, backend: 'webgpu', maxRanks: 4, ctas: 64 },
    { collective, algorithm, backend: 'webgpu', maxRanks: 8, ctas: 32 },
  ];
}

/**
 * The default selection. The thresholds for GPUs were measured on two and four H200s and H100s with
 * NVLink, and those for WebGPU on one H200 (see the package's README). On the simulator, `twoShot`
 * is never slower.
 */
export const defaultSelection: readonly SelectionRule[] = Object.freeze<SelectionRule[]>([
  ...sentinelUpTo,
  ...linesUpTo('allReduce', 1 << 22, 1 << 19),
  ...llUpTo('allReduce'),
  { collective: 'allReduce', algorithm: 'twoShot', backend: 'cuda', maxBytes: 1 << 22 },
  { collective: 'allReduce', algorithm: 'chunked', backend: 'cuda', maxRanks: 2, ctas: 128 },
  { collective: 'allReduce', algorithm: 'twoShot' },
  ...toAllOnOneGpu('broadcast', 'twoShot'),
  { collective: 'broadcast', algorithm: 'twoShot' },
  { collective: 'reduce', algorithm: 'twoShot' },
  ...linesUpTo('allGather', 1 << 24, 1 << 22),
  ...llUpTo('allGather'),
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 21 },
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 24, ctas: 32 },
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', ctas: 128 },
  ...toAllOnOneGpu('allGather', 'direct'),
  { collective: 'allGather', algorithm: 'direct' },
  ...linesUpTo('reduceScatter', 1 << 27, 1 << 24),
  ...llUpTo('reduceScatter'),
  { collective: 'reduceScatter', algorithm: 'direct' },
  ...linesUpTo('allToAll', 1 << 25, 1 << 20),
  ...llUpTo('allToAll'),
  { collective: 'allToAll', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 23 },
  { collective: 'allToAll', algorithm: 'direct', backend: 'cuda', ctas: 128 },
  { collective: 'allToAll', algorithm: 'direct' },
  { collective: 'gather', algorithm: 'direct' },
  { collective: 'scatter', algorithm: 'direct' },
]);
