import type { CtaIdentity, KernelText } from '@nccl-ts/transport';
import type { FaultReport, FaultyAccess } from './fault-report.ts';
import type { Fault } from './fault.ts';
import { quotedLocation } from './quoted-location.ts';
import type { Site } from './site.ts';

/** A fault, and the launch in which it occurred. */
export interface FaultInput {
  readonly kernel: KernelText;
  /** The number of the launch in the world, from 0. */
  readonly launch: number;
  /** The source locations of the kernel, which `fault.site` indexes. */
  readonly sites: readonly Site[];
  readonly cta: Pick<CtaIdentity, 'rank' | 'blockIdx'>;
  readonly fault: Fault;
  /** For memory faults: the result of `describeAccess`. */
  readonly access?: FaultyAccess | undefined;
}

/** Builds the report of a fault: the thread, its action and the source location. */
export function buildFault({ kernel, launch, sites, cta, fault, access }: FaultInput): FaultReport {
  const site = sites[fault.site];
  return {
    kind: fault.kind,
    kernel: kernel.name,
    launch,
    rank: cta.rank,
    blockIdx: cta.blockIdx,
    thread: fault.thread,
    what: site?.what ?? 'access',
    place: site === undefined ? undefined : quotedLocation(kernel, site.span),
    ...(access === undefined ? {} : { access }),
    ...(fault.message === undefined ? {} : { message: fault.message }),
  };
}
