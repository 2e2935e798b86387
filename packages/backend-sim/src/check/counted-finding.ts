import type { Finding, SpreadOf } from '@nccl-ts/findings';
import { sameValue } from './on-hardware.ts';
import { beforeItsWait } from './seen-finding.ts';

/** A finding with the number of its sightings and its participants. */
export interface CountedFinding {
  readonly finding: Finding;
  /** A lower bound: of many accesses to one word that race, not all are remembered. */
  seen: number;
  readonly spread: SpreadOf;
  /**
   * For a race of a put with a thread: returns true, once the run is over, if the thread has waited
   * for the put after its access.
   */
  waitsLater?: (() => boolean) | undefined;
}

/**
 * The finding as it is at the end of a run. With `isSame`, all racing stores wrote what the word
 * had already.
 */
export function judgedFinding(counted: CountedFinding, isSame: boolean): CountedFinding {
  const { finding } = counted;
  if (isSame) return { ...counted, finding: sameValue(finding) };
  return counted.waitsLater?.() === true ? { ...counted, finding: beforeItsWait(finding) } : counted;
}
