import { NcclError, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import { SENTINEL_CTAS } from './fifo/sentinel.ts';
import { RING_CHANNELS } from './fifo/step-fifo.ts';
import { algorithmsOf, type Algorithm } from './algorithm.ts';
import type { CollectiveName } from './collective.ts';
import type { ReductionName } from './red-op.ts';

/** What a choice depends on: the same on all ranks, so that all choose the same. */
export interface SelectionQuery {
  readonly collective: CollectiveName;
  readonly backend: string;
  readonly nRanks: number;
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

/** CTAs that a collective may be launched with: as many have barriers. */
export const MAX_CTAS = 64;

/** CTAs, and threads of each, that there are slots for where data carry flags. */
export const LL_BLOCKS = 8;
export const LL_THREADS = 256;

/** CTAs, and bytes of each of their chunks, that there is scratch for where there are several load-store domains. */
export const HIERARCHICAL_CTAS = 2;
export const HIERARCHICAL_CHUNK_BYTES = 8192;

/** What suits a backend: how many CTAs at most, threads of each, and the bytes that make another CTA worth its while. */
interface LaunchShape {
  readonly ctas: number;
  readonly threads: number;
  readonly bytesPerCta: number;
}

/** What there is room for: barriers, slots, channels. */
const roomOf: Readonly<Record<Algorithm, { readonly ctas: number; readonly threads: number }>> = Object.freeze({
  direct: { ctas: MAX_CTAS, threads: 1024 },
  twoShot: { ctas: MAX_CTAS, threads: 1024 },
  oneShot: { ctas: MAX_CTAS, threads: 1024 },
  ll: { ctas: LL_BLOCKS, threads: LL_THREADS },
  sentinel: { ctas: SENTINEL_CTAS, threads: 1024 },
  ring: { ctas: RING_CHANNELS, threads: 1024 },
  hierarchical: { ctas: HIERARCHICAL_CTAS, threads: 1024 },
});

const otherwise: LaunchShape = { ctas: 16, threads: 256, bytesPerCta: 1 << 14 };
const shapes: Readonly<Record<string, LaunchShape>> = Object.freeze({
  // One thread runs all: more CTAs are more work and no more speed.
  sim: { ctas: 1, threads: 64, bytesPerCta: 1 << 20 },
  webgpu: { ctas: 8, threads: 64, bytesPerCta: 1 << 14 },
  cuda: { ctas: 32, threads: 512, bytesPerCta: 1 << 13 },
});

/**
 * What is chosen where nothing else is asked for. On GPUs the borders are those between one and two shots that vLLM and NCCL
 * draw on NVLink; on the simulator two shots never lose.
 */
export const defaultSelection: readonly SelectionRule[] = Object.freeze<SelectionRule[]>([
  { collective: 'allReduce', algorithm: 'oneShot', backend: 'cuda', maxRanks: 2, maxBytes: 1 << 20 },
  { collective: 'allReduce', algorithm: 'oneShot', backend: 'cuda', maxRanks: 4, maxBytes: 1 << 18 },
  { collective: 'allReduce', algorithm: 'oneShot', backend: 'cuda', maxBytes: 1 << 16 },
  { collective: 'allReduce', algorithm: 'twoShot' },
  { collective: 'broadcast', algorithm: 'twoShot' },
  { collective: 'reduce', algorithm: 'twoShot' },
  { collective: 'allGather', algorithm: 'direct' },
  { collective: 'reduceScatter', algorithm: 'direct' },
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
  const rule = rules.find((candidate) => fits(candidate, query, bytes));
  const algorithm = wanted ?? (query.lsaSize < nRanks ? 'hierarchical' : rule?.algorithm);
  if (algorithm === undefined) {
    throw new NcclError(
      'NCCLTS_NOT_SUPPORTED',
      `${collective}: no rule of the selection fits ${bytes} bytes on ${nRanks} ranks of ${backend}.`,
    );
  }
  const shape = shapes[backend] ?? otherwise;
  const room = roomOf[algorithm];
  const asked = (wanted === undefined ? rule?.ctas : undefined) ?? shape.ctas;
  const most = Math.min(asked, room.ctas);
  const ctas = Math.max(1, Math.min(most, Math.ceil(bytes / shape.bytesPerCta)));
  const threads = Math.min((wanted === undefined ? rule?.threads : undefined) ?? shape.threads, room.threads);
  const because =
    wanted !== undefined
      ? 'what the call asked for'
      : query.lsaSize < nRanks
        ? `need: loads and stores reach ${query.lsaSize} ranks`
        : `the rule ${ruleText(rule)}`;
  return { algorithm, ctas, threads, because };
}

function fits(rule: SelectionRule, { collective, backend, nRanks }: SelectionQuery, bytes: number): boolean {
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
