import type { CtaIdentity } from './cta-identity.ts';
import type { FaultReport } from './fault-report.ts';
import type { KernelText } from './kernel-text.ts';

/** A CTA that has used up turn after turn. */
export interface SpentCta {
  readonly kernel: KernelText;
  /** Counts the launches of the world, from 0. */
  readonly launch: number;
  readonly cta: Pick<CtaIdentity, 'rank' | 'blockIdx'>;
  readonly turns: number;
}

/** Says that the CTA ran out of fuel. Where it is, only its program knows. */
export function outOfFuel({ kernel, launch, cta, turns }: SpentCta): FaultReport {
  return {
    kind: 'fuel',
    kernel: kernel.name,
    launch,
    rank: cta.rank,
    blockIdx: cta.blockIdx,
    thread: 0,
    what: 'turn',
    place: undefined,
    message:
      `a CTA ran for ${turns} turns without coming to a wait or its end: ` +
      'it may spin on memory in a loop that is not a wait (raise fuel if it only takes long)',
  };
}
