import type { CudaOptions } from '@nccl-ts/backend-cuda';
import type { WorldShape } from '@nccl-ts/conformance';
import { option } from '../option.ts';

/** Ranks that share a GPU, at most, as `--sharing` says; undefined: each rank has one to itself. */
export const sharing: number | undefined = numberOf('--sharing');

/** GPUs that ranks share, as `--gpus` says: the first ones. */
export const sharedGpus: number = numberOf('--gpus') ?? 1;

/** Ranks of each load-store domain, as `--lsa-size` says; undefined: all are in one. */
export const domainSize: number | undefined = numberOf('--lsa-size');

/** The GPU of each rank: neighbours are on different GPUs. */
export function gpusOf(ranks: number): CudaOptions {
  return sharing === undefined ? { ranks } : { devices: Array.from({ length: sharedGpus }, (_, i) => i), ranks };
}

/**
 * The fewest ranks that the first world may have: only that world queries NCCL whether ranks may
 * share a GPU.
 */
export const firstRanks: number = sharing === undefined ? 1 : sharedGpus + 1;

/** Tells NCCL, which looks once: to be called before the first world. */
export function useDomains(): void {
  if (domainSize !== undefined) process.env['NCCL_LSA_TEAM_SIZE'] = String(domainSize);
}

/** The reason why this number of GPUs cannot run a world of that shape; undefined if they can. */
export function shapeProblem({ ranks, lsaSize }: WorldShape, gpus: number): string | undefined {
  const room = sharing === undefined ? gpus : sharing * sharedGpus;
  if (ranks > room) return `asked for ${ranks} ranks, but there is room for ${room}`;
  if (lsaSize === (domainSize ?? ranks) && ranks % lsaSize === 0) return undefined;
  return `asked for domains of ${lsaSize}, ${domainSize === undefined ? 'all GPUs are in one' : `they are of ${domainSize}`}`;
}

function numberOf(name: string): number | undefined {
  const given = option(name);
  return given === undefined ? undefined : Number(given);
}
