import { NcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { algorithmSpecs, algorithmsOf, type Algorithm } from './algorithm.ts';
import { backendShape } from './backend-shape.ts';
import type { CollectiveName } from './collective.ts';
import type { ReductionName } from './red-op.ts';

/**
 * The values that a selection depends on. They are the same on all ranks, so that all select the
 * same algorithm.
 */
export interface SelectionQuery {
  readonly collective: CollectiveName;
  readonly backend: string;
  readonly nRanks: number;
  /** The largest number of ranks that share a GPU. @default all of them on WebGPU, otherwise 1 */
  readonly ranksPerDevice?: number;
  /** True if the GPU is emulated in software. @default false */
  readonly software?: boolean;
  /** The number of ranks of a load-store domain. */
  readonly lsaSize: number;
  readonly element: ScalarKind;
  /** The number of elements in NCCL's unit for this collective. */
  readonly count: number;
  readonly op: ReductionName | undefined;
}

/** One rule of a selection. The first rule that fits applies. */
export interface SelectionRule {
  readonly collective: CollectiveName;
  readonly algorithm: Algorithm;
  /** @default any */
  readonly backend?: string;
  /** @default any */
  readonly minRanks?: number;
  /** @default any */
  readonly maxRanks?: number;
  /** The largest number of bytes of `count` elements. @default any */
  readonly maxBytes?: number;
  /** The largest number of CTAs; small calls use fewer. @default the backend's */
  readonly ctas?: number;
  /** The threads of each CTA, a multiple of 32. @default the backend's */
  readonly threads?: number;
}

/** The algorithm and launch that were selected for a collective. */
export interface Selection {
  readonly algorithm: Algorithm;
  readonly ctas: number;
  readonly threads: number;
  /** The reason for the choice, for people. */
  readonly because: string;
}

/** Sends small amounts with flags: in CTAs of few threads, if everything fits into one turn. */
function llUpTo(collective: CollectiveName): readonly SelectionRule[] {
  return [
    { collective, algorithm: 'll', backend: 'cuda', maxBytes: 1 << 16, threads: 128 },
    { collective, algorithm: 'll', backend: 'cuda', maxRanks: 4, maxBytes: 1 << 18 },
    { collective, algorithm: 'll', backend: 'cuda', maxRanks: 2, maxBytes: 1 << 19, ctas: 128 },
  ];
}

/**
 * Uses as many CTAs as there is room for: as far as possible, each 16-byte word has its own thread.
 */
const sentinelOnCuda = { collective: 'allReduce', algorithm: 'sentinel', backend: 'cuda', ctas: 264 } as const;

/**
 * Sends floats without flags if all elements reach every peer in less time than barriers take. The
 * shapes and limits for 2 ranks were measured on two H100s. Those for more ranks are not measured.
 * They follow from the bytes that a rank sends: those of the call, times the number of peers.
 */
const sentinelUpTo: readonly SelectionRule[] = [
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 18, threads: 256 },
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 20, ctas: 132, threads: 512 },
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 22, threads: 256 },
  { ...sentinelOnCuda, maxRanks: 4, maxBytes: 1 << 20, threads: 256 },
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
 * The default selection. The thresholds for GPUs were measured on two and four H200s and on two
 * H100s with NVLink, and those for WebGPU on one H200 (see the package's README). On the simulator,
 * `twoShot` is never slower.
 */
export const defaultSelection: readonly SelectionRule[] = Object.freeze<SelectionRule[]>([
  { collective: 'allReduce', algorithm: 'll', backend: 'cuda', minRanks: 3, maxBytes: 1 << 15, threads: 128 },
  ...sentinelUpTo,
  ...llUpTo('allReduce'),
  { collective: 'allReduce', algorithm: 'twoShot', backend: 'cuda', maxBytes: 1 << 22 },
  { collective: 'allReduce', algorithm: 'chunked', backend: 'cuda', ctas: 128 },
  { collective: 'allReduce', algorithm: 'twoShot' },
  ...toAllOnOneGpu('broadcast', 'twoShot'),
  { collective: 'broadcast', algorithm: 'twoShot' },
  { collective: 'reduce', algorithm: 'twoShot' },
  ...llUpTo('allGather'),
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 21 },
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 24, ctas: 32 },
  { collective: 'allGather', algorithm: 'direct', backend: 'cuda', ctas: 128 },
  ...toAllOnOneGpu('allGather', 'direct'),
  { collective: 'allGather', algorithm: 'direct' },
  ...llUpTo('reduceScatter'),
  { collective: 'reduceScatter', algorithm: 'direct' },
  ...llUpTo('allToAll'),
  { collective: 'allToAll', algorithm: 'direct', backend: 'cuda', maxBytes: 1 << 23 },
  { collective: 'allToAll', algorithm: 'direct', backend: 'cuda', ctas: 128 },
  { collective: 'allToAll', algorithm: 'direct' },
  { collective: 'gather', algorithm: 'direct' },
  { collective: 'scatter', algorithm: 'direct' },
]);

/** Lines of 128 bytes with one flag, in as many CTAs as there is room for. */
function linesUpTo(collective: CollectiveName, mostBytes: number): readonly SelectionRule[] {
  const rule = { collective, algorithm: 'll128', backend: 'cuda', maxRanks: 2, ctas: 264 } as const;
  return [
    { ...rule, algorithm: 'll', maxBytes: 1 << 16, threads: 128 },
    { ...rule, maxBytes: 1 << 20, threads: 256 },
    { ...rule, maxBytes: mostBytes, threads: 512 },
  ];
}

/**
 * Rules for two GPUs that are connected by NVLink. Put them before other rules:
 * `setSelection(comm, [...nvlinkSelection, ...defaultSelection])`. They use `ll128`, which relies
 * on lines that arrive whole. Over PCIe lines may arrive in parts, and results would be wrong. A
 * communicator does not know its links, so the default selection leaves these rules out.
 *
 * The thresholds were measured on two H100s. `sentinel` comes first for floats that have a spare
 * value.
 */
export const nvlinkSelection: readonly SelectionRule[] = Object.freeze<SelectionRule[]>([
  ...sentinelUpTo.filter(({ maxRanks }) => maxRanks === 2),
  ...linesUpTo('allReduce', 1 << 22),
  ...linesUpTo('allGather', 1 << 24),
  ...linesUpTo('reduceScatter', 1 << 25),
  ...linesUpTo('allToAll', 1 << 25),
]);

/**
 * Selects the algorithm and the launch of a collective: by `wanted`, or by the first rule that
 * fits.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the collective does not have `wanted`;
 *   `NCCLTS_NOT_SUPPORTED` if no rule fits.
 */
export function select(
  query: SelectionQuery,
  rules: readonly SelectionRule[] = defaultSelection,
  wanted?: Algorithm,
): Selection {
  const { collective, backend, nRanks } = query;
  const bytes = query.count * scalarInfo[query.element].bytes;
  const offered = algorithmsOf[collective];
  if (wanted !== undefined && !offered.includes(wanted)) {
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${collective}: there is no algorithm ${wanted}; there is ${offered.join(', ')}.`,
    );
  }
  const rule = rules.find((candidate) => ruleFits(candidate, query));
  const algorithm = wanted ?? (query.lsaSize < nRanks ? offered.find(isBetweenDomains) : rule?.algorithm);
  if (algorithm === undefined) {
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `${collective}: no rule of the selection fits ${bytes} bytes on ${nRanks} ranks of ${backend}.`,
    );
  }
  const shape = backendShape(query);
  const spec = algorithmSpecs[algorithm];
  const room = spec.room(shape);
  const asked = wanted === undefined ? rule : undefined;
  const threads = Math.min(asked?.threads ?? shape.launch.threads, room.threads);
  const bytesPerCta = spec.bytesPerCta?.(threads) ?? shape.bytesPerCta;
  const most = Math.min(asked?.ctas ?? shape.launch.ctas, room.ctas);
  const ctas = Math.max(1, Math.min(most, Math.ceil(bytes / bytesPerCta)));
  const because =
    wanted !== undefined
      ? 'the algorithm of the call'
      : query.lsaSize < nRanks
        ? `need: loads and stores reach ${query.lsaSize} ranks`
        : `the rule ${ruleText(rule)}`;
  return { algorithm, ctas, threads, because };
}

function isBetweenDomains(algorithm: Algorithm): boolean {
  return algorithmSpecs[algorithm].spansDomains;
}

/** True if a rule fits a query, even if its algorithm does not support the call. */
export function ruleFits(
  rule: SelectionRule,
  { collective, backend, nRanks, element, count }: SelectionQuery,
): boolean {
  const bytes = count * scalarInfo[element].bytes;
  return (
    rule.collective === collective &&
    (rule.backend ?? backend) === backend &&
    nRanks >= (rule.minRanks ?? 1) &&
    nRanks <= (rule.maxRanks ?? Infinity) &&
    bytes <= (rule.maxBytes ?? Infinity)
  );
}

/** Describes a rule in words. */
export function ruleText(rule: SelectionRule | undefined): string {
  if (rule === undefined) return 'none';
  const { collective, algorithm, backend, minRanks, maxRanks, maxBytes } = rule;
  const limits = [
    backend === undefined ? undefined : `backend ${backend}`,
    minRanks === undefined ? undefined : `${minRanks} ranks or more`,
    maxRanks === undefined ? undefined : `up to ${maxRanks} ranks`,
    maxBytes === undefined ? undefined : `up to ${maxBytes} bytes`,
  ].filter((limit) => limit !== undefined);
  const when = limits.length === 0 ? '' : ` (${limits.join(', ')})`;
  return `${collective}: ${algorithm}${when}`;
}
