import {
  devComm,
  resourceLocalPointer,
  resourceLsaPointer,
  symPtr,
  teamWorld,
  type DevCommArg,
  type DevResourceRequirements,
  type SymPtrArg,
} from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { i32, kernel, u32, u64, u8, type Kernel } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';

/**
 * Returns the requirement: two words for each rank. One counts the signals that came from it by a
 * store, the other all of its signals that have been waited for.
 */
export function signalRequirement(nRanks: number): DevResourceRequirements {
  return { bufferSize: 8 * nRanks, bufferAlign: 128 };
}

export interface PutSignalArgs {
  readonly comm: DevCommArg;
  /** The location of the signal counts. */
  readonly signals: number;
  /** The network signal that counts the signals of rank 0. Those of the other ranks follow. */
  readonly farSignals: number;
  readonly first: number;
  readonly data: SymPtrArg;
  readonly to: SymPtrArg;
  /** The number of bytes for each rank. */
  readonly bytes: number | bigint;
  /**
   * The distance in bytes between the data of consecutive ranks, and between their destinations.
   */
  readonly dataStep: number | bigint;
  readonly toStep: number | bigint;
}

const bytes = symPtr(u8);

function putSignalOf(name: string, far: boolean): Kernel<PutSignalArgs> {
  return kernel(
    {
      name,
      use: { gin, reduceCopy, resourceLsaPointer, teamWorld, FAR: far },
      params: {
        comm: devComm,
        signals: u32,
        farSignals: u32,
        first: i32,
        data: bytes,
        to: bytes,
        bytes: u64,
        dataStep: u64,
        toStep: u64,
      },
    },
    (
      { gin, reduceCopy, resourceLsaPointer, teamWorld, FAR, coopCta, threadIdx, blockIdx, addr, i32, u32 },
      { comm, signals, farSignals, first, data, to, bytes, dataStep, toStep },
    ) => {
      const cta = coopCta();
      const peer = first + i32(blockIdx.x);
      const from = data.add(blockIdx.x * dataStep);
      const place = to.add(blockIdx.x * toStep);
      if (FAR && peer / comm.lsaSize !== comm.rank / comm.lsaSize) {
        const net = gin.context(comm, 0);
        if (threadIdx.x === 0) {
          // The signal may belong to the next message. A strong signal also covers the puts before
          // it.
          const came = gin.strongSignalInc(farSignals + u32(comm.rank));
          if (bytes > 0) {
            net.put(teamWorld(comm), peer, place.window, place.offset, from.window, from.offset, addr(bytes), came);
          } else {
            net.signal(teamWorld(comm), peer, came);
          }
        }
        // A later operation may overwrite the source of a put.
        net.flush(cta);
      } else {
        const near = peer % comm.lsaSize;
        if (bytes > 0) reduceCopy.localCopy(cta, from.localPtr(), (_i) => place.lsaPtr(near), 1, bytes);
        cta.sync();
        if (threadIdx.x === 0) {
          const counts = resourceLsaPointer(comm, u32, signals, near);
          counts.atomicAdd(2 * u32(comm.rank), 1, 'release', 'system');
        }
      }
    },
  );
}

/**
 * CTA i stores `bytes` bytes from `data` to the destination `to` at rank `first` + i, each advanced
 * by a step for each rank. It then adds one signal there. A rank that has waited for the signal
 * sees the bytes, and everything that this rank's stream stored there before. The kernel uses only
 * loads and stores, so it requires a single load-store domain.
 */
export const putSignalKernel: Kernel<PutSignalArgs> = /* @__PURE__ */ putSignalOf('putSignal', false);

/**
 * Does the same over several load-store domains. Data for a peer in another domain goes through the
 * network.
 *
 * Requires a GIN connection to the peer, with a signal for each rank, starting at `farSignals`.
 */
export const farPutSignalKernel: Kernel<PutSignalArgs> = /* @__PURE__ */ putSignalOf('farPutSignal', true);

export interface WaitSignalArgs extends Pick<PutSignalArgs, 'comm' | 'signals' | 'farSignals' | 'first'> {
  readonly count: number;
}

function waitSignalOf(name: string, far: boolean): Kernel<WaitSignalArgs> {
  return kernel(
    {
      name,
      use: { gin, resourceLocalPointer, FAR: far },
      params: { comm: devComm, signals: u32, farSignals: u32, first: u32, count: u32 },
    },
    (
      { gin, resourceLocalPointer, FAR, coopCta, threadIdx, blockIdx, u32, i32, u64 },
      { comm, signals, farSignals, first, count },
    ) => {
      const counts = resourceLocalPointer(comm, u32, signals);
      const peer = first + blockIdx.x;
      const came = 2 * peer;
      const wanted = counts.load(came + 1) + count;
      if (FAR && peer / u32(comm.lsaSize) !== u32(comm.rank / comm.lsaSize)) {
        gin.context(comm, 0).waitSignal(coopCta(), farSignals + peer, u64(wanted), { bits: 32 });
      } else {
        coopCta().waitAll(1, (_i) => i32(counts.load(came, 'acquire', 'system') - wanted) >= 0);
      }
      coopCta().sync();
      if (threadIdx.x === 0) counts[came + 1] = wanted;
    },
  );
}

/**
 * Waits for `count` further signals from each of several ranks, in addition to those that it has
 * waited for before. CTA i waits for rank `first` + i. Each rank has its own words. All signals
 * come by stores, so the kernel requires a single load-store domain.
 */
export const waitSignalKernel: Kernel<WaitSignalArgs> = /* @__PURE__ */ waitSignalOf('waitSignal', false);

/**
 * Does the same over several load-store domains. Signals of other domains come through the network.
 */
export const farWaitSignalKernel: Kernel<WaitSignalArgs> = /* @__PURE__ */ waitSignalOf('farWaitSignal', true);
