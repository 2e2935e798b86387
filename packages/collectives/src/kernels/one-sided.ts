import {
  devComm,
  resourceLocalPointer,
  resourceLsaPointer,
  symPtr,
  type DevCommArg,
  type SymPtrArg,
} from '@nccl-ts/devcomm';
import { i32, kernel, u32, u64, u8, type Kernel } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import type { DevResourceRequirements } from '@nccl-ts/devcomm';

/** For each LSA rank two words: signals that came from it, and those of them that were waited for. */
export function signalRequirement(lsaSize: number): DevResourceRequirements {
  return { bufferSize: 8 * lsaSize, bufferAlign: 128 };
}

export interface PutSignalArgs {
  readonly comm: DevCommArg;
  /** Where the signals are counted. */
  readonly signals: number;
  readonly data: SymPtrArg;
  readonly to: SymPtrArg;
  readonly bytes: number | bigint;
  readonly peer: number;
}

const bytes = symPtr(u8);

/**
 * Stores `bytes` bytes from `data` on to the place `to` of LSA rank `peer`, then counts one signal more there. Who has waited for the
 * signal sees the bytes, and what this rank's stream stored before. One CTA.
 */
export const putSignalKernel: Kernel<PutSignalArgs> = kernel(
  {
    name: 'putSignal',
    use: { reduceCopy, resourceLsaPointer },
    params: { comm: devComm, signals: u32, data: bytes, to: bytes, bytes: u64, peer: i32 },
  },
  ({ reduceCopy, resourceLsaPointer, coopCta, threadIdx, u32 }, { comm, signals, data, to, bytes, peer }) => {
    const cta = coopCta();
    if (bytes > 0) reduceCopy.localCopy(cta, data.localPtr(), (_i) => to.lsaPtr(peer), 1, bytes);
    cta.sync();
    if (threadIdx.x === 0) {
      const counts = resourceLsaPointer(comm, u32, signals, peer);
      counts.atomicAdd(2 * u32(comm.lsaRank), 1, 'release', 'system');
    }
  },
);

export interface WaitSignalArgs {
  readonly comm: DevCommArg;
  readonly signals: number;
  readonly first: number;
  readonly count: number;
}

/**
 * Waits for `count` signals more from each of several LSA ranks than were waited for before: CTA i for those of rank `first` + i. Each
 * rank has words of its own.
 */
export const waitSignalKernel: Kernel<WaitSignalArgs> = kernel(
  {
    name: 'waitSignal',
    use: { resourceLocalPointer },
    params: { comm: devComm, signals: u32, first: u32, count: u32 },
  },
  ({ resourceLocalPointer, coopCta, threadIdx, blockIdx, u32, i32 }, { comm, signals, first, count }) => {
    const counts = resourceLocalPointer(comm, u32, signals);
    const came = 2 * (first + blockIdx.x);
    const wanted = counts.load(came + 1) + count;
    coopCta().waitAll(1, (_i) => i32(counts.load(came, 'acquire', 'system') - wanted) >= 0);
    coopCta().sync();
    if (threadIdx.x === 0) counts[came + 1] = wanted;
  },
);
