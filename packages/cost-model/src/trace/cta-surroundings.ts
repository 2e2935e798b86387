import type { SliceArgs } from '@nccl-ts/core';
import type { CostModel } from '../cost-model.ts';
import type { CtaShare } from './launch-use.ts';
import type { TraceLog } from './trace-log.ts';
import type { AddressRange } from './traced-machine.ts';
import type { Traffic } from './traffic.ts';
import type { WordHistories } from './word-histories.ts';

/** The state that the CTAs of one launch share. */
export interface CtaSurroundings {
  readonly cost: CostModel;
  readonly log: TraceLog;
  readonly words: WordHistories;
  readonly traffic: Traffic;
  readonly rank: number;
  readonly share: CtaShare;
  /** Nanoseconds of the instructions before the access or wait at a site. */
  readonly issueAt: (site: number) => number;
  /** Threads of a CTA. */
  readonly threads: number;
  readonly kernel: string;
  readonly args: SliceArgs;
  /** Returns the rank whose memory contains a region. */
  readonly ownerOf: (region: number) => number | undefined;
  /** True if a region is memory of a device communicator. */
  readonly isResource: (region: number) => boolean;
  /** Returns the part of a rank's memory that contains an address. */
  readonly rangeAt: (address: number) => AddressRange | undefined;
  /** Returns the name and source location of a site in the kernel. */
  readonly locationAt: (site: number) => { readonly name: string; readonly at: string };
}
