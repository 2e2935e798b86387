import type { CtaIdentity, KernelText } from '@nccl-ts/transport';
import type { FaultReport } from './fault-report.ts';
import { quotedLocation } from './quoted-location.ts';
import type { Site } from './site.ts';
import type { Waiting } from './waiting.ts';

/** A CTA that has used its whole slice many times. */
export interface SpentCta {
  readonly kernel: KernelText;
  /** The number of the launch in the world, from 0. */
  readonly launch: number;
  readonly cta: Pick<CtaIdentity, 'rank' | 'blockIdx'>;
  readonly turns: number;
  /** The source locations of its loop, as far as its program reports them. They index `sites`. */
  readonly waiting?: readonly Waiting[];
  readonly sites?: readonly Site[];
}

/** Reports that the CTA ran out of fuel, and the loop that it runs in. */
export function outOfFuel({ kernel, launch, cta, turns, waiting = [], sites = [] }: SpentCta): FaultReport {
  const group = waiting.find(({ kind }) => kind === 'spin') ?? waiting[0];
  const site = group === undefined ? undefined : sites[group.site];
  return {
    kind: 'fuel',
    kernel: kernel.name,
    launch,
    rank: cta.rank,
    blockIdx: cta.blockIdx,
    thread: group?.threads[0] ?? 0,
    what: site?.what ?? 'turn',
    place: site === undefined ? undefined : quotedLocation(kernel, site.span),
    turns,
    message:
      `a CTA ran for ${turns} turns without reaching a wait or its end: ` +
      'it may spin on memory in a loop that is not a wait (raise fuel if it is only slow)',
  };
}
