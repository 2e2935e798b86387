import { scalarInfo, type CollectiveName, type ScalarKind } from '@nccl-ts/core';
import type { Algorithm } from '../algorithms/algorithm.ts';
import type { ReductionName } from '../red-op.ts';

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
  /** True if NVLink connects the GPUs of all ranks. @default false */
  readonly nvlink?: boolean;
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
  /** True for a rule that only fits if NVLink connects the GPUs of all ranks. @default false */
  readonly nvlink?: boolean;
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
  /** The measurement that the rule rests on, for people. `explain` repeats it. */
  readonly measured?: string;
}

/** True if a rule fits a query, even if its algorithm does not support the call. */
export function ruleFits(
  rule: SelectionRule,
  { collective, backend, nRanks, nvlink = false, element, count }: SelectionQuery,
): boolean {
  const bytes = count * scalarInfo[element].bytes;
  return (
    rule.collective === collective &&
    (rule.backend ?? backend) === backend &&
    (nvlink || rule.nvlink !== true) &&
    nRanks >= (rule.minRanks ?? 1) &&
    nRanks <= (rule.maxRanks ?? Infinity) &&
    bytes <= (rule.maxBytes ?? Infinity)
  );
}

/** Describes a rule in words. */
export function ruleText(rule: SelectionRule | undefined): string {
  if (rule === undefined) return 'none';
  const { collective, algorithm, backend, nvlink, minRanks, maxRanks, maxBytes, measured } = rule;
  const limits = [
    backend === undefined ? undefined : `backend ${backend}`,
    nvlink === true ? 'over NVLink' : undefined,
    minRanks === undefined ? undefined : `${minRanks} ranks or more`,
    maxRanks === undefined ? undefined : `up to ${maxRanks} ranks`,
    maxBytes === undefined ? undefined : `up to ${maxBytes} bytes`,
  ].filter((limit) => limit !== undefined);
  const when = limits.length === 0 ? '' : ` (${limits.join(', ')})`;
  const rests = measured === undefined ? '' : `, measured on ${measured}`;
  return `${collective}: ${algorithm}${when}${rests}`;
}
