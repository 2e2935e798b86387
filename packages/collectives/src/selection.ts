import { NcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { algorithmsOf, type Algorithm } from './algorithm.ts';
import { backendShape, roomFor } from './backend-shape.ts';
import type { CollectiveName } from './collective.ts';
import { SENTINEL_BYTES } from './fifo/sentinel.ts';
import type { ReductionName } from './red-op.ts';

/** What a choice depends on: the same on all ranks, so that all choose the same. */
export interface SelectionQuery {
  readonly collective: CollectiveName;
  readonly backend: string;
  readonly nRanks: number;
  /** Ranks that share a GPU, at most. @default all of them by WebGPU, 1 elsewhere */
  readonly ranksPerDevice?: number;
  /** Whether a program for the CPU stands in for the GPU. @default false */
  readonly software?: boolean;
  /** Ranks of a load-store domain. */
  readonly lsaSize: number;
  readonly element: ScalarKind;
  /** Elements, as NCCL counts them for the collective. */
  readonly count: number;
  readonly op: ReductionName | undefined;
}

/** One line of a selection table. The first that fits is taken. */
export interface SelectionRule {
  readonly collective: CollectiveName;
  readonly algorithm: Algorithm;
  /** @default any */
  readonly backend?: string;
  /** @default any */
  readonly minRanks?: number;
  /** @default any */
  readonly maxRanks?: number;
  /** Bytes of `count` elements, at most. @default any */
  readonly maxBytes?: number;
  /** CTAs at most; there are fewer where there is not enough to do for them. @default the backend's */
  readonly ctas?: number;
  /** Threads of each, a multiple of 32. @default the backend's */
  readonly threads?: number;
}

/** How a collective is going to be done. */
export interface Selection {
  readonly algorithm: Algorithm;
  readonly ctas: number;
  readonly threads: number;
  /** Why, for people. */
  readonly because: string;
}

/** Bytes that a thread sends at once, where each turn costs as much as the whole: all goes in one, if there is room. */
const turnBytes: Readonly<Partial<Record<Algorithm, number>>> = Object.freeze({ ll: 8, sentinel: SENTINEL_BYTES });

/** Few bytes for each rank go with flags: in CTAs of few threads, as long as all go in one turn. */
function llUpTo(collective: CollectiveName): readonly SelectionRule[] {
  return [
    { collective, algorithm: 'll', backend: 'cuda', maxBytes: 1 << 16, threads: 128 },
    { collective, algorithm: 'll', backend: 'cuda', maxRanks: 4, maxBytes: 1 << 18 },
    { collective, algorithm: 'll', backend: 'cuda', maxRanks: 2, maxBytes: 1 << 19, ctas: 128 },
  ];
}

/** As many CTAs as there is room for. */
const sentinelOnCuda = {
  collective: 'allReduce',
  algorithm: 'sentinel',
  backend: 'cuda',
  ctas: 264,
  threads: 256,
} as const satisfies SelectionRule;

/**
 * Floats travel without flags for as long as sending all to every peer takes less than barriers: (n - 1) times the
 * bytes. The border of 2 ranks is where a prototype of the same shape lost its lead on two H100; those of more ranks follow from
 * what is sent, and are not measured.
 */
const sentinelUpTo: readonly SelectionRule[] = [
  { ...sentinelOnCuda, maxRanks: 2, maxBytes: 1 << 23 },
  { ...sentinelOnCuda, maxRanks: 4, maxBytes: 1 << 20 },
  { ...sentinelOnCuda, maxRanks: 8, maxBytes: 1 << 18 },
];

/** On a GPU that ranks share, what each rank stores at all others is stored faster by fewer CTAs. */
function toAllOnOneGpu(collective: CollectiveName, algorithm: Algorithm): readonly SelectionRule[] {
  return [
    { collective, algorithm, backend: 'webgpu', maxRanks: 2, ctas: 128 },
    { collective, algorithm, backend: 'webgpu', maxRanks: 4, ctas: 64 },
    { collective, algorithm, backend: 'webgpu', maxRanks: 8, ctas: 32 },
  ];
}

/**
 * What is chosen where nothing else is asked for. The borders of GPUs were measured on two and four H200 and on two H100 on NVLink, and for
 * WebGPU on one H200 (the package's README has the figures); on the simulator two shots never lose.
 */
export const defaultSelection: readonly SelectionRule[] = Object.freeze<SelectionRule[]>([
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

/**
 * The algorithm and the launch that a collective is done with: by `wanted`, or the first rule that fits.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` where the collective does not have `wanted`; `NCCLTS_NOT_SUPPORTED` where no rule fits.
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
  const algorithm = wanted ?? (query.lsaSize < nRanks ? 'hierarchical' : rule?.algorithm);
  if (algorithm === undefined) {
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `${collective}: no rule of the selection fits ${bytes} bytes on ${nRanks} ranks of ${backend}.`,
    );
  }
  const shape = backendShape(query);
  const room = roomFor(algorithm, shape);
  const asked = wanted === undefined ? rule : undefined;
  const threads = Math.min(asked?.threads ?? shape.launch.threads, room.threads);
  const atOnce = turnBytes[algorithm];
  const bytesPerCta = atOnce === undefined ? shape.bytesPerCta : threads * atOnce;
  const most = Math.min(asked?.ctas ?? shape.launch.ctas, room.ctas);
  const ctas = Math.max(1, Math.min(most, Math.ceil(bytes / bytesPerCta)));
  const because =
    wanted !== undefined
      ? 'what the call asked for'
      : query.lsaSize < nRanks
        ? `need: loads and stores reach ${query.lsaSize} ranks`
        : `the rule ${ruleText(rule)}`;
  return { algorithm, ctas, threads, because };
}

/** Whether a rule is for such a query, be its algorithm able to do it or not. */
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

/** A rule in words. */
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
