import { collectiveNames, type CollectiveName } from '@nccl-ts/core';
import { algorithmsOf, type Algorithm } from '../algorithms/algorithm.ts';
import type { SelectionRule } from './selection-rule.ts';

/** The tables of measurements that rules rest on. */
const twoGpus = 'two H100s and two H200s (results/table-2-h100.json, table-2-h200.json)';
const fourGpus = 'four H100s (results/table-4-h100.json)';
const gpus = 'two and four H100s and two H200s (results/table-*.json)';
const olderGpus = 'two and four H200s (results/table-4-h200.json)';
const sharedGpu = 'one H200 (results/webgpu-h200.json)';

/** Sends small amounts with flags: in CTAs of few threads, if everything fits into one turn. */
function llUpTo(collective: CollectiveName): readonly SelectionRule[] {
  return [
    { collective, algorithm: 'll', backend: 'cuda', maxBytes: 1 << 16, threads: 128, measured: gpus },
    { collective, algorithm: 'll', backend: 'cuda', maxRanks: 4, maxBytes: 1 << 18, measured: olderGpus },
    { collective, algorithm: 'll', backend: 'cuda', maxRanks: 2, maxBytes: 1 << 19, ctas: 128, measured: twoGpus },
  ];
}

/**
 * Sends lines of 128 bytes with one flag each, which only NVLink delivers whole, in as many CTAs as
 * there is room for. `mostOfTwo` and `mostOfFour` are the largest numbers of bytes for two ranks
 * and for three or four. The smallest calls still use `ll`.
 */
function linesUpTo(collective: CollectiveName, mostOfTwo: number, mostOfFour: number): readonly SelectionRule[] {
  const two = { collective, backend: 'cuda', nvlink: true, maxRanks: 2, measured: twoGpus } as const;
  const four = { ...two, minRanks: 3, maxRanks: 4, measured: fourGpus } as const;
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
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 18, threads: 256, measured: twoGpus },
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 20, ctas: 132, threads: 512, measured: twoGpus },
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 23, threads: 256, measured: twoGpus },
  { ...sentinelOnCuda, maxRanks: 4, maxBytes: 1 << 19, threads: 256, measured: fourGpus },
  { ...sentinelOnCuda, maxRanks: 8, maxBytes: 1 << 18, threads: 256 },
];

/** On a GPU that ranks share, fewer CTAs are faster if each rank stores to all other ranks. */
function toAllOnOneGpu(collective: CollectiveName, algorithm: Algorithm): readonly SelectionRule[] {
  return [
    { collective, algorithm, backend: 'webgpu', maxRanks: 2, ctas: 128, measured: sharedGpu },
    { collective, algorithm, backend: 'webgpu', maxRanks: 4, ctas: 64, measured: sharedGpu },
    { collective, algorithm, backend: 'webgpu', maxRanks: 8, ctas: 32, measured: sharedGpu },
  ];
}

/**
 * The default selection. The thresholds for GPUs were measured on two and four H200s and H100s with
 * NVLink, and those for WebGPU on one H200 (see the package's README). On the simulator, `twoShot`
 * is never slower.
 */
export const defaultSelection: readonly SelectionRule[] = /* @__PURE__ */ Object.freeze<SelectionRule[]>([
  ...sentinelUpTo,
  ...linesUpTo('allReduce', 1 << 22, 1 << 19),
  ...llUpTo('allReduce'),
  { collective: 'allReduce', algorithm: 'twoShot', backend: 'cuda', maxBytes: 1 << 22, measured: gpus },
  { collective: 'allReduce', algorithm: 'chunked', backend: 'cuda', maxRanks: 2, ctas: 128, measured: twoGpus },
  { collective: 'allReduce', algorithm: 'twoShot', backend: 'cuda', maxRanks: 4, measured: fourGpus },
  ...toAllOnOneGpu('broadcast', 'twoShot'),
  ...linesUpTo('allGather', 1 << 24, 1 << 22),
  ...llUpTo('allGather'),
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 21, measured: gpus },
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 24, ctas: 32, measured: gpus },
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', ctas: 128, measured: gpus },
  ...toAllOnOneGpu('allGather', 'direct'),
  ...linesUpTo('reduceScatter', 1 << 27, 1 << 24),
  ...llUpTo('reduceScatter'),
  { collective: 'reduceScatter', algorithm: 'direct', backend: 'cuda', measured: gpus },
  ...linesUpTo('allToAll', 1 << 25, 1 << 20),
  ...llUpTo('allToAll'),
  { collective: 'allToAll', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 23, measured: gpus },
  { collective: 'allToAll', algorithm: 'direct', backend: 'cuda', ctas: 128, measured: gpus },
  ...otherwise(),
]);

/** Any other call uses the first algorithm of its collective. */
function otherwise(): readonly SelectionRule[] {
  return collectiveNames.flatMap((collective) =>
    algorithmsOf[collective].slice(0, 1).map((algorithm) => ({ collective, algorithm })),
  );
}
