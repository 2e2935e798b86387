import { cft, logicalEndpoint } from '@nccl-ts/cft';
import { devComm, window } from '@nccl-ts/devcomm';
import { kernel, u32, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/** Fences of the fabric proxy, of NCCL 2.31. */
export const fabricFences: Kernel = kernel(
  { name: 'fabricFences', use: { cft }, params: { comm: devComm } },
  ({ cft, coopCta, coopThread, fenceProxy }) => {
    cft.memFence(coopCta(), 'release', 'generic', 'fabric', 'system');
    cft.memFence(coopCta(), 'acquire', 'fabric', 'generic', 'system');
    cft.memFence(coopCta(), 'acq_rel', 'fabric', 'fabric', 'system');
    cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
    fenceProxy('fabric', 'generic', 'generic', 'seq_cst');
  },
);

/** Operations of logical endpoints, of NCCL 2.31. */
export const fabricOperations: Kernel = kernel(
  { name: 'fabricOperations', use: { cft }, params: { comm: devComm, win: window } },
  ({ cft, coopCta, coopWarp, sharedArray, f32, u64 }, { comm, win }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(f32, 64);
    const fabric = cft.session(coopCta(), smem);
    const team = cft.team(comm, 'hierLsa');
    const le = cft.leInfo(win, 16, 1, team, comm);
    fabric.put(coopCta(), le.leId, le.leOffset, part, 256);
    const peer = cft.peerLeInfo(win, 0, comm.rank, comm);
    fabric.putCpMask(coopWarp(), peer.leId, peer.leOffset + u64(16), part.offset(4), 16, 0xff);
    const all = cft.multimemLeInfo(win, 0, comm);
    fabric.putMultimem(coopCta(), all.leId, all.leOffset, part, 16);
    fabric.putMultimemCpMask(coopCta(), all.leId, all.leOffset, part, 16, 1);
    fabric.submit(coopCta());
    fabric.flushSmem(coopCta());
    fabric.get(coopCta(), le.leId, le.leOffset, part, 64);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
    part.store(0, f32(cft.teamMultimem(comm).nRanks));
  },
);

/** Counted operations, of NCCL 2.32. */
export const fabricCounted: Kernel = kernel(
  { name: 'fabricCounted', use: { cft, lsa }, params: { comm: devComm, win: window } },
  ({ cft, lsa, coopCta, sharedArray, f32, u64 }, { comm, win }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(f32, 64);
    const fabric = cft.session(coopCta(), smem);
    const le = cft.leInfo(win, 0, 0, cft.team(comm), comm);
    fabric.putCounted(coopCta(), le.leId, le.leOffset, le.leOffset + u64(256), part, 256);
    const all = cft.multimemLeInfo(win, 0, comm);
    fabric.putMultimemCounted(coopCta(), all.leId, all.leOffset, all.leOffset + u64(256), part, 256);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
    const counter = lsa.localPointer(win, u64, 256);
    fabric.waitCounted(coopCta(), 'acquire', 'generic', counter, u64(512));
    const late = fabric.waitCounted(coopCta(), 'acq_rel', 'fabric', counter, u64(1024), 1000);
    if (late !== 0) part.store(0, 0);
  },
);

/** Reductions, of NCCL 2.31: every operation, and every type of one. */
export const fabricReductions: Kernel = kernel(
  { name: 'fabricReductions', use: { cft }, params: { comm: devComm, win: window } },
  ({ cft, coopCta, coopWarp, sharedArray, i32, i64, u32, u64 }, { comm, win }) => {
    const smem = sharedArray(u64, 2);
    const words = sharedArray(u32, 64);
    const signed = words.cast(i32);
    const fabric = cft.session(coopCta(), smem);
    const le = cft.leInfo(win, 16, 1, cft.team(comm), comm);
    const all = cft.multimemLeInfo(win, 0, comm);
    fabric.red(coopCta(), le.leId, le.leOffset, 'sum', signed, 256);
    fabric.red(coopCta(), le.leId, le.leOffset, 'min', signed, 256);
    fabric.red(coopCta(), le.leId, le.leOffset, 'max', words, 256);
    fabric.redMultimem(coopCta(), all.leId, all.leOffset, 'and', words.cast(u64), 256);
    fabric.redMultimem(coopWarp(), all.leId, all.leOffset, 'or', words.cast(i64), 256);
    fabric.pullRed(coopWarp(), all.leId, all.leOffset, 'xor', words, 256);
    fabric.pullRed(coopWarp(), all.leId, all.leOffset, 'sum', words.cast(i64), 256);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
  },
);

/** Counted reductions, of NCCL 2.32. */
export const fabricReductionsCounted: Kernel = kernel(
  { name: 'fabricReductionsCounted', use: { cft }, params: { comm: devComm, win: window } },
  ({ cft, coopCta, sharedArray, u64 }, { comm, win }) => {
    const smem = sharedArray(u64, 2);
    const part = sharedArray(u64, 32);
    const fabric = cft.session(coopCta(), smem);
    const le = cft.leInfo(win, 0, 0, cft.team(comm), comm);
    fabric.redCounted(coopCta(), le.leId, le.leOffset, le.leOffset + u64(256), 'sum', part, 256);
    const all = cft.multimemLeInfo(win, 0, comm);
    fabric.redMultimemCounted(coopCta(), all.leId, all.leOffset, all.leOffset + u64(256), 'max', part, 256);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
  },
);

/** CFT barriers, of NCCL 2.31. */
export const fabricBarriers: Kernel = kernel(
  { name: 'fabricBarriers', use: { cft, lsa }, params: { comm: devComm, out: window } },
  ({ cft, lsa, coopCta, coopWarp, blockIdx, u32 }, { comm, out }) => {
    const bar = cft.barrierSession(coopCta(), comm, blockIdx.x);
    bar.arrive(coopCta(), 'release', 'generic', 'fabric');
    bar.wait(coopCta(), 'acquire', 'generic', 'fabric');
    bar.sync(coopCta(), 'acq_rel', 'fabric', 'generic');
    const all = cft.barrierSession(coopWarp(), comm, 0, { multimem: true });
    const late = all.sync(coopWarp(), 'relaxed', 'fabric', 'fabric', 1000);
    lsa.localPointer(out, u32, 0).store(0, late);
  },
);

/** Endpoints of resource buffers, of NCCL 2.31. */
export const fabricResources: Kernel = kernel(
  { name: 'fabricResources', use: { cft }, params: { comm: devComm, handle: u32 } },
  ({ cft, coopCta, sharedArray, f32, u64 }, { comm, handle }) => {
    const part = sharedArray(f32, 64);
    const fabric = cft.session(coopCta(), sharedArray(u64, 2));
    const le = cft.resourceLeInfo(comm, handle, 1);
    fabric.put(coopCta(), le.leId, le.leOffset, part, 256);
    const peer = cft.resourcePeerLeInfo(comm, handle, comm.rank);
    fabric.put(coopCta(), peer.leId, peer.leOffset, part, 256);
    const all = cft.resourceMultimemLeInfo(comm, handle);
    fabric.putMultimem(coopCta(), all.leId, all.leOffset, part, 16);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
  },
);

/** An endpoint that a host found, as a parameter. */
export const fabricParameter: Kernel = kernel(
  { name: 'fabricParameter', use: { cft }, params: { le: logicalEndpoint } },
  ({ cft, coopCta, sharedArray, f32, u64 }, { le }) => {
    const part = sharedArray(f32, 64);
    const fabric = cft.session(coopCta(), sharedArray(u64, 2));
    fabric.put(coopCta(), le.leId, le.leOffset, part, 256);
    fabric.submit(coopCta());
    fabric.flush(coopCta());
  },
);
