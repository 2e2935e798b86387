import type { DevCommRequirements, DevComm } from '@nccl-ts/devcomm';
import { teamWorld } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { deviceFn, primitive, windowPointer, type DeviceFn, type Ptr } from '@nccl-ts/kernel';

/**
 * The requirements of NVSHMEM's functions: all PEs in one load-store domain, and a signal for each
 * PE, which tells `quiet` that puts have arrived.
 */
export function shmemRequirements(nRanks: number): DevCommRequirements {
  return { ginConnectionType: 'full', ginContextCount: 1, ginSignalCount: nRanks, lsaBarrierCount: 1 };
}

/** Makes the puts visible that the signals at a word cover. */
const acquireSignal: DeviceFn<(word: Ptr) => void> = /* @__PURE__ */ primitive({
  name: 'gin.acquire',
  params: { word: { kind: 'anyPointer' } },
});

/** The calling PE's word of signal `signal` at PE `pe`. */
const signalAt: DeviceFn<(heap: DevComm, pe: number, signal: number) => Ptr> = /* @__PURE__ */ deviceFn(
  { name: 'signalAt', use: { windowPointer } },
  ({ windowPointer, addr, u64 }, heap: DevComm, pe: number, signal: number) =>
    windowPointer(heap.ginStateWindow, u64, addr(signal) * 8, pe),
);

/** The number of signals that this PE has sent to a PE. They are counted before they are sent. */
const sentTo: DeviceFn<(heap: DevComm, signal: number) => Ptr> = /* @__PURE__ */ deviceFn(
  { name: 'sentTo', use: { windowPointer } },
  ({ windowPointer, addr, u64 }, heap: DevComm, signal: number) =>
    windowPointer(heap.resourceWindow, u64, heap.ginSignalShadowsOffset + addr(signal) * 8, heap.lsaRank),
);

/** Counts a signal to PE `pe`. Returns its number there. */
const countSignal: DeviceFn<(heap: DevComm, pe: number) => number> = /* @__PURE__ */ deviceFn(
  { name: 'countSignal', use: { sentTo } },
  ({ sentTo, u32 }, heap: DevComm, pe: number) => {
    sentTo(heap, u32(pe)).atomicAdd(0, 1, 'relaxed', 'device');
    return u32(heap.rank);
  },
);

/**
 * Waits until all counted signals have arrived at PE `pe`, and acquires the puts that they cover.
 */
const settleAt: DeviceFn<(heap: DevComm, pe: number) => void> = /* @__PURE__ */ deviceFn(
  { name: 'settleAt', use: { signalAt, sentTo, acquireSignal } },
  ({ signalAt, sentTo, acquireSignal, waitUntil, u32 }, heap: DevComm, pe: number) => {
    const word = signalAt(heap, pe, u32(heap.rank));
    const sent = sentTo(heap, u32(pe));
    const all = sent.load(0, 'relaxed', 'device');
    waitUntil(() => word.load(0, 'acquire', 'system') >= all);
    // If other threads have sent more meanwhile, their signals may have arrived before this
    // thread's.
    if (sent.load(0, 'relaxed', 'device') !== all) {
      waitUntil(() => word.load(0, 'acquire', 'system') >= sent.load(0, 'relaxed', 'device'));
    }
    acquireSignal(word);
  },
);

/** Waits in one thread until all puts and gets of the PE are complete. */
export const quiet: DeviceFn<(heap: DevComm) => void> = /* @__PURE__ */ deviceFn(
  { name: 'quiet', use: { gin, teamWorld, countSignal, settleAt } },
  ({ gin, teamWorld, countSignal, settleAt, coopThread, fence, u32 }, heap: DevComm) => {
    const net = gin.context(heap, 0);
    for (let pe = 0; pe < heap.nRanks; pe++) {
      const signal = countSignal(heap, pe);
      net.signal(teamWorld(heap), pe, gin.strongSignalInc(u32(signal)));
    }
    for (let pe = 0; pe < heap.nRanks; pe++) settleAt(heap, pe);
    net.flush(coopThread());
    fence('acq_rel', 'system');
  },
);
