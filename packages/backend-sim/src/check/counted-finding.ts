import type { Finding, SpreadOf } from '@nccl-ts/findings';

/** A finding with the number of its sightings and its participants. */
export interface CountedFinding {
  readonly finding: Finding;
  /** A lower bound: of many accesses to one word that race, not all are remembered. */
  seen: number;
  readonly spread: SpreadOf;
}
