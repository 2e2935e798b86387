import type { CtaIdentity, KernelText } from '@nccl-ts/transport';
import type { ValueOrigin } from '@nccl-ts/ir';
import type { FaultOrigin, FaultReport, FaultyAccess } from './fault-report.ts';
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
  /** Where the pointer, or the value that was required to be another, came from. */
  readonly origin?: ValueOrigin | undefined;
}

/** Builds the report of a fault: the thread, its action and the source location. */
export function buildFault({ kernel, launch, sites, cta, fault, access, origin }: FaultInput): FaultReport {
  const site = sites[fault.site];
  const from = originOf(kernel, fault, access, origin);
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
    ...(from === undefined ? {} : { origin: from }),
    ...(fault.message === undefined ? {} : { message: fault.message }),
  };
}

/** A pointer matters if its peer does not exist, and a value if it breaks a rule. */
function originOf(
  kernel: KernelText,
  { kind }: Fault,
  access: FaultyAccess | undefined,
  origin: ValueOrigin | undefined,
): FaultOrigin | undefined {
  if (origin === undefined) return undefined;
  if (origin.of === 'pointer' ? access?.peer === undefined : kind !== 'misuse') return undefined;
  const location = quotedLocation(kernel, origin.span);
  const peer = access?.peer?.peer;
  const does = origin.of === 'value' ? 'value made' : `pointer${peer === undefined ? '' : ` to peer ${peer}`} made`;
  return location === undefined ? undefined : { does, place: location };
}
