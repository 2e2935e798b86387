import {
  deviceFn,
  deviceModule,
  type AuthorOf,
  type Coop,
  type DeviceFn,
  type DeviceModule,
  type Ptr,
  type TypeFn,
} from '@nccl-ts/kernel';
import type { DevComm } from '@nccl-ts/devcomm';
import type { Reduce } from './reductions.ts';
import { links } from '../fifo/link.ts';

/** The links of one channel of a ring over the load-store domain. */
export interface Ring {
  /** This rank's link, which the previous rank fills. */
  readonly mine: Ptr;
  /** The next rank's link, which this rank fills. */
  readonly next: Ptr;
  /** The previous rank's link. */
  readonly prev: Ptr;
}

/** The links of channel `channel`, which is the index of a link on every rank. */
const ringOf: DeviceFn<(comm: DevComm, bufHandle: number, slotBytes: number, channel: number) => Ring> = deviceFn(
  { name: 'ringOf', use: { links } },
  ({ links }, comm: DevComm, bufHandle: number, slotBytes: number, channel: number) => {
    const n = comm.lsaSize;
    const rank = comm.lsaRank;
    return {
      mine: links.at(comm, bufHandle, slotBytes, channel, rank),
      next: links.at(comm, bufHandle, slotBytes, channel, (rank + 1) % n),
      prev: links.at(comm, bufHandle, slotBytes, channel, (rank + n - 1) % n),
    };
  },
);

/** The constants of one step of a ring: its sources and destinations. */
export interface RingStep {
  /** True if the part from the previous rank is the first source. */
  readonly receives: boolean;
  /** True if `input` is the last source. */
  readonly reads: boolean;
  /** True if `output` is a destination. */
  readonly writes: boolean;
  /** True if the next rank is a destination. */
  readonly sends: boolean;
}

/** The data of a step. */
export interface StepData {
  readonly input: Ptr;
  readonly output: Ptr;
  /** The number of elements. A part without elements is sent too. */
  readonly count: number;
  /** The number of parts that were sent and received before this one. */
  readonly sent: number;
  readonly received: number;
}

/**
 * One step of a ring, in one pass over the elements. It waits for the part of the previous rank and
 * for room at the next rank. It reduces the received part with `input`, stores the result to
 * `output` and to the next rank, and signals both. The caller counts the parts.
 */
const ringStep: DeviceFn<
  (
    coop: Coop,
    type: TypeFn,
    slotBytes: number,
    ring: Ring,
    step: RingStep,
    part: StepData,
    reduction: Reduce,
    nRanks: number,
    scale: number,
  ) => void
> = deviceFn(
  { name: 'ringStep', use: { links } },
  (
    { links, typeOf },
    coop: Coop,
    T: TypeFn,
    slotBytes: number,
    { mine, next, prev }: Ring,
    { receives, reads, writes, sends }: RingStep,
    { input, output, count, sent, received }: StepData,
    reduction: Reduce,
    nRanks: number,
    scale: number,
  ) => {
    if (receives) links.awaitFilled(coop, mine, received);
    if (sends) links.awaitRoom(coop, mine, sent);
    const came = links.slotOf(mine, slotBytes, received).cast(T);
    const goes = links.slotOf(next, slotBytes, sent).cast(T);
    const from = (i: number): Ptr => (receives ? (reads ? (i === 0 ? came : input) : came) : input);
    const to = (i: number): Ptr => (sends ? (writes ? (i === 0 ? goes : output) : goes) : output);
    const nSrc = receives ? (reads ? 2 : 1) : 1;
    // The code cannot know which ranks' scalars a received value contains, so it assumes all.
    const scaleOf = (source: number): number => (source === nSrc - 1 ? scale : typeOf(scale)(1));
    const nDst = sends ? (writes ? 2 : 1) : 1;
    reduction(coop, T, from, nSrc, to, nDst, count, nRanks, scaleOf);
    coop.sync();
    if (sends && receives) links.postBoth(coop, next, sent, prev, received);
    else if (sends) links.postFilled(coop, next, sent);
    else if (receives) links.postEmptied(coop, prev, received);
  },
);

/** The functions of `rings` in a kernel. */
export interface Rings {
  readonly of: AuthorOf<typeof ringOf>;
  readonly step: AuthorOf<typeof ringStep>;
}

/** Rings over the load-store domain: `use: { rings }`. */
export const rings: DeviceModule<Rings> = deviceModule('rings', { of: ringOf, step: ringStep });
