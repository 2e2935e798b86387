import type { Finding, SpreadOf } from '@nccl-ts/findings';
import type { GroupClocks } from '@nccl-ts/memory-model';
import { sameValue } from './on-hardware.ts';
import { beforeItsWait } from './seen-finding.ts';

/** A finding with the number of its sightings and its participants. */
export interface CountedFinding {
  readonly finding: Finding;
  /** A lower bound: of many accesses to one word that race, not all are remembered. */
  seen: number;
  readonly spread: SpreadOf;
  /** For a race of a put with a thread: the rest of the thread's kernel. */
  rest?: RestOfKernel | undefined;
}

/** The rest of a thread's kernel after its access in a race with a put. */
export interface RestOfKernel {
  readonly group: GroupClocks;
  /** True if the thread has waited for the put by now. */
  readonly hasWaited: () => boolean;
  /** The answer at the end of the kernel, which orders the thread after much else. */
  atEnd?: boolean;
}

/**
 * The finding as it is at the end of a run. With `isSame`, all racing stores wrote what the word
 * had already.
 */
export function judgedFinding(counted: CountedFinding, isSame: boolean): CountedFinding {
  const { finding } = counted;
  if (isSame) return { ...counted, finding: sameValue(finding) };
  const { rest } = counted;
  return rest !== undefined && (rest.atEnd ?? rest.hasWaited())
    ? { ...counted, finding: beforeItsWait(finding) }
    : counted;
}
