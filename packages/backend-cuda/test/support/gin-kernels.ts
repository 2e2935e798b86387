import { devComm, ginBarrierHandle, symPtr, team, teamRail, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { f32, i32, kernel, u32, u64, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';

/**
 * Kernels that use everything the network offers, by the first version of NCCL that has all of it.
 */

/** The functions of NCCL 2.28.7. */
export const basics: Kernel = kernel(
  {
    name: 'basics',
    use: { gin, lsa, teamWorld, teamRail, Word: u64 },
    params: { comm: devComm, dst: window, src: window, n: u64, bits: u32 },
  },
  (
    {
      gin,
      lsa,
      teamWorld,
      teamRail,
      Word,
      coopCta,
      coopWarp,
      coopThread,
      blockIdx,
      sharedArray,
      threadIdx,
      f32,
      u8,
      u64,
    },
    { comm, dst, src, n, bits },
  ) => {
    const net = gin.context(comm, 0);
    const rail = gin.context(comm, blockIdx.x % comm.ginContextCount, 'cta');
    const descriptor = sharedArray(Word, 8);
    const world = teamWorld(comm);
    const peer = (comm.rank + 1) % comm.nRanks;
    net.put(world, peer, dst, 0, src, 64, 128);
    net.put(world, peer, dst, n, src, n * 2, 128, gin.signalInc(3), { coop: coopCta() });
    net.put(world, peer, dst, 0, src, 0, 8, gin.signalAdd(4, n), { localAction: gin.counterInc(2), coop: coopWarp() });
    net.put(world, peer, dst, 0, src, 0, 8, undefined, { localAction: gin.weakCounterInc(5) });
    rail.put(teamRail(comm), 0, dst, 0, src, 0, 8, gin.signalInc(1), {
      coop: coopThread(),
      descriptor,
      givenRelease: 'block',
      requiredRelease: 'system',
    });
    net.putValue(world, peer, dst, 16, f32(threadIdx.x), gin.signalInc(1));
    net.putValue(world, peer, dst, 16, u8(7), undefined, { requiredRelease: 'system' });
    net.signal(world, peer, gin.signalAdd(2, 5));
    net.signal(world, peer, gin.signalInc(1), { coop: coopCta(), descriptor });
    net.flush(coopCta());
    net.flush(coopCta(), 'relaxed');
    net.waitSignal(coopCta(), 3, 1);
    net.waitSignal(coopWarp(), 3, n + u64(1), { bits: 32 });
    net.waitSignal(coopThread(), 3, n, { bits, order: 'relaxed' });
    net.waitCounter(coopCta(), 2, n);
    net.waitCounter(coopCta(), 2, n, { bits: 48, order: 'acquire' });
    net.increaseSignalShadow(3, 2);
    net.waitSignalMeetShadow(coopCta(), 3);
    net.waitSignalMeetShadow(coopCta(), 3, { order: 'relaxed' });
    const { before, delta } = net.waitSignalFollowShadow(coopCta(), 3, 1);
    const shadow = net.signalShadowPtr(4);
    shadow.store(0, before + delta + net.readSignal(1) + net.readSignal(2, { bits: 8 }) + net.readCounter(2));
    net.resetSignal(3);
    net.resetCounter(2);
    gin.barrierSession(coopCta(), net, 'rail', blockIdx.x).sync(coopCta(), 'acq_rel', 'none');
    const out = lsa.localPointer(dst, Word, 0);
    out.store(0, net.readCounter(1, { bits: 16, order: 'relaxed' }));
  },
);

/** Strong and weak signals, and those at addresses: in 2.30.5, and under legacy names in 2.29.7. */
export const signals: Kernel = kernel(
  { name: 'signals', use: { gin }, params: { comm: devComm, t: team, win: window, n: u64 } },
  ({ gin, coopCta }, { comm, t, win, n }) => {
    const net = gin.context(comm, 1);
    net.signal(t, 0, gin.strongSignalInc(0));
    net.signal(t, 0, gin.strongSignalAdd(1, n));
    net.signal(t, 0, gin.weakSignalInc(2));
    net.signal(t, 0, gin.weakSignalAdd(3, n));
    net.signal(t, 0, gin.strongVASignalInc(win, 0));
    net.signal(t, 0, gin.strongVASignalAdd(win, 8, n));
    net.signal(t, 0, gin.weakVASignalInc(win, 16));
    net.signal(t, 0, gin.weakVASignalAdd(win, 24, n));
    net.put(t, 1, win, 64, win, 128, 8, gin.vaSignalInc(win, 32), { localAction: gin.weakCounterInc(0) });
    net.put(t, 1, win, 64, win, 128, 8, gin.vaSignalAdd(win, 40, n), {
      maySkipCreditCheck: true,
      aggregateRequests: true,
    });
    net.waitVASignal(coopCta(), win, 0, n);
    net.waitVASignal(coopCta(), win, 8, n, { bits: 32, order: 'relaxed' });
    if (net.readVASignal(win, 16) < net.readVASignal(win, 24, { bits: 20 })) net.resetVASignal(win, 0);
  },
);

/** The functions added by NCCL 2.30.3, and segments of 2.30.4. */
export const requests: Kernel = kernel(
  {
    name: 'requests',
    use: { gin },
    params: { comm: devComm, t: team, dst: symPtr(f32), src: symPtr(f32), n: i32 },
  },
  ({ gin, coopWarp }, { comm, t, dst, src, n }) => {
    const net = gin.context(comm, 0, 'thread');
    net.get(t, 1, src.window, 0, dst.window, 64, 256);
    net.get(t, 1, src.window, 0, dst.window, 64, 256, { coop: coopWarp(), aggregateRequests: true, segment: 'mixed' });
    net.putElements(t, 1, dst, src, n, gin.signalInc(0), { segment: 'hostNuma' });
    const first = net.flushAsync(t, 0);
    for (let i = 1; i < t.nRanks; i++) net.wait(net.flushAsync(t, i), 'relaxed');
    net.wait(first);
  },
);

/** Barriers of every kind. */
export const barriers: Kernel = kernel(
  {
    name: 'barriers',
    use: { gin, lsa, Result: u32 },
    params: { comm: devComm, t: team, handle: ginBarrierHandle, cycles: u64, out: window },
  },
  ({ gin, lsa, Result, coopCta, coopWarp, blockIdx }, { comm, t, handle, cycles, out }) => {
    const net = gin.context(comm, 0);
    const world = gin.barrierSession(coopCta(), net, 'world', blockIdx.x);
    world.sync(coopCta(), 'acq_rel');
    world.sync(coopCta(), 'release', 'put');
    world.sync(coopCta(), 'acquire', 'get');
    world.sync(coopCta(), 'relaxed', 'none');
    gin.barrierSession(coopWarp(), net, 'rail', 0, { team: t, handle }).sync(coopWarp(), 'acq_rel', 'putGet');
    gin.barrierSession(coopCta(), net, 'rail', 1, { handle: comm.worldGinBarrier }).sync(coopCta(), 'acq_rel');
    const all = gin.barrierSession(coopCta(), net, 'world', 2, { allContexts: true });
    const result = all.sync(coopCta(), 'seq_cst', 'putGet', cycles);
    lsa.localPointer(out, Result, 0).store(0, result);
  },
);

/** Waits that read signals themselves. */
export const waits: Kernel = kernel(
  { name: 'waits', use: { gin }, params: { comm: devComm, win: window, n: u64 } },
  ({ gin, waitUntil, threadIdx, u32 }, { comm, win, n }) => {
    const net = gin.context(comm, 0);
    waitUntil(() => net.readSignal(0) >= 1);
    waitUntil(() => net.readSignal(threadIdx.x % u32(2), { bits: 32 }) === n && net.readCounter(0) >= 1);
    while (net.readVASignal(win, 8) < n) {}
  },
);

/** Waits with a time limit, of NCCL 2.31. */
export const timed: Kernel = kernel(
  { name: 'timed', use: { gin, lsa, Word: u32 }, params: { comm: devComm, t: team, win: window, n: u64, bits: u32 } },
  ({ gin, lsa, Word, coopCta, coopWarp, coopThread }, { comm, t, win, n, bits }) => {
    const net = gin.context(comm, 0);
    const out = lsa.localPointer(win, Word, 64);
    out.store(0, net.flush(coopCta(), 'acquire', n));
    out.store(1, net.wait(net.flushAsync(t, 1), 'relaxed', 100));
    out.store(2, net.waitSignal(coopCta(), 0, n, { timeoutCycles: 1000 }));
    out.store(3, net.waitSignal(coopWarp(), 0, n, { bits, order: 'relaxed', timeoutCycles: n }));
    out.store(4, net.waitVASignal(coopThread(), win, 8, n, { timeoutCycles: n }));
    out.store(5, net.waitCounter(coopCta(), 2, n, { bits: 48, timeoutCycles: n }));
    // Ignores the result.
    net.waitCounter(coopCta(), 2, n, { timeoutCycles: n });
  },
);
