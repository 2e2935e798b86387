import { option } from './option.ts';

/** Ranks of each load-store domain, as `--lsa-size` says; undefined: all are in one. */
export const domainSize: number | undefined =
  option('--lsa-size') === undefined ? undefined : Number(option('--lsa-size'));

/** Tells NCCL, which looks once: to be called before the first world. */
export function useDomains(): void {
  if (domainSize !== undefined) process.env['NCCL_LSA_TEAM_SIZE'] = String(domainSize);
}

/** Why a world of `ranks` in domains of `lsaSize` cannot be had; undefined where it can. */
export function domainProblem(ranks: number, lsaSize: number): string | undefined {
  if (lsaSize === (domainSize ?? ranks) && ranks % lsaSize === 0) return undefined;
  return `asked for domains of ${lsaSize}, ${domainSize === undefined ? 'all GPUs are in one' : `they are of ${domainSize}`}`;
}
