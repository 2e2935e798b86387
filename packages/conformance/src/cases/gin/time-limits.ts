import { devComm, teamWorld, window } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel, u64 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { Case } from '../../case.ts';
import { defineCase } from '../../define-case.ts';
import { expectValues } from '../../mismatch.ts';
import { meet } from '../fixture/meet.ts';
import { count } from '../fixture/numbers.ts';
import { connect, ginRequires, strictlyOrdered } from './connect.ts';

const threads = 32;
const timedWaits = 6;
const requires = { ...ginRequires, divergentWaits: true, ncclVersion: 23102 } as const;

const arriving = kernel(
  {
    name: 'timedWaits',
    use: { gin, lsa, teamWorld },
    params: { comm: devComm, src: window, dst: window, signals: window, out: window, cycles: u64 },
  },
  ({ gin, lsa, teamWorld, coopCta, coopThread, threadIdx, u32 }, { comm, src, dst, signals, out, cycles }) => {
    const net = gin.context(comm, 0);
    const world = teamWorld(comm);
    const next = (comm.rank + 1) % comm.nRanks;
    if (threadIdx.x === 0) {
      net.put(world, next, dst, 0, src, 0, 4, gin.weakSignalInc(0), { localAction: gin.weakCounterInc(0) });
      net.signal(world, next, gin.strongVASignalInc(signals, 0));
    }
    const results = lsa.localPointer(out, u32, 0).offset(threadIdx.x * 6);
    results.store(0, net.waitSignal(coopCta(), 0, 1, { timeoutCycles: cycles }));
    results.store(1, net.waitSignal(coopCta(), 0, 1, { bits: 32, order: 'acquire', timeoutCycles: cycles }));
    results.store(2, net.waitVASignal(coopCta(), signals, 0, 1, { timeoutCycles: cycles }));
    results.store(3, net.waitCounter(coopCta(), 0, 1, { timeoutCycles: cycles }));
    results.store(4, net.flush(coopCta(), 'acquire', cycles));
    const sent = net.flushAsync(world, next);
    results.store(5, net.wait(sent, 'acquire', cycles));
    // Its time limit has passed when it begins, but its condition is true.
    net.waitSignal(coopThread(), 0, 1, { timeoutCycles: 0 });
    coopCta().sync();
    // After a wait that timed out, neither the source nor the target may be reused.
    let gaveUp = u32(0);
    for (let i = 0; i < 6; i++) gaveUp += results.load(i);
    if (threadIdx.x === 0 && gaveUp === 0) {
      lsa.localPointer(src, u32, 0).store(0, 0);
      lsa.localPointer(out, u32, 0).store(192, lsa.localPointer(dst, u32, 0).load(0));
    }
  },
);

export const inTime: Case<'gin/time-limits/in-time'> = defineCase({
  id: 'gin/time-limits/in-time',
  mirrors: 'ncclGin::waitSignal, ::waitCounter, ::flush, ::wait with timeoutCycles',
  requires,
  ranks: [1, 4],
  lsaSizes: [1, 2],
  kernels: [arriving],
  run: async ({ run, shape: { ranks } }) => {
    await run(async (comm) => {
      const dev = await connect(comm, { ginSignalCount: 1, ginCounterCount: 1 });
      const src = await comm.allocWindow('u32', 1);
      const dst = await comm.allocWindow('u32', 1);
      const signals = await comm.allocWindow('u32', 2, strictlyOrdered);
      const out = await comm.allocWindow('u32', threads * timedWaits + 1);
      await src.write(Uint32Array.of(100 + comm.rank));
      await meet(comm);
      await comm.launch(
        arriving,
        { grid: 1, block: threads },
        { comm: dev, src, dst, signals, out, cycles: 2n ** 40n },
      );
      const results = count(threads * timedWaits).map(() => 0);
      expectValues(`rank ${comm.rank}`, await out.read(), [...results, 100 + ((comm.rank + ranks - 1) % ranks)]);
      await meet(comm);
    });
  },
});

const missing = kernel(
  {
    name: 'timedOutWaits',
    use: { gin, lsa },
    params: { comm: devComm, signals: window, out: window, cycles: u64 },
  },
  ({ gin, lsa, coopCta, threadIdx, u32 }, { comm, signals, out, cycles }) => {
    const net = gin.context(comm, 0);
    const results = lsa.localPointer(out, u32, 0).offset(threadIdx.x * 4);
    results.store(0, net.waitSignal(coopCta(), 0, 1, { timeoutCycles: cycles }));
    results.store(1, net.waitVASignal(coopCta(), signals, 0, 1, { timeoutCycles: cycles }));
    results.store(2, net.waitCounter(coopCta(), 0, 1, { timeoutCycles: cycles }));
    results.store(3, net.flush(coopCta(), 'relaxed', cycles)); // nothing to wait for
  },
);

export const tooLate: Case<'gin/time-limits/too-late'> = defineCase({
  id: 'gin/time-limits/too-late',
  mirrors: 'ncclTimeout of ncclGin::waitSignal and ::waitCounter: the first thread of a group gets the outcome',
  requires,
  ranks: [1, 2],
  lsaSizes: [1, 2],
  kernels: [missing],
  run: async ({ run }) => {
    await run(async (comm) => {
      const dev = await connect(comm, { ginSignalCount: 1, ginCounterCount: 1 });
      const signals = await comm.allocWindow('u32', 2, strictlyOrdered);
      const out = await comm.allocWindow('u32', threads * 4);
      await out.write(new Uint32Array(threads * 4).fill(99));
      await comm.launch(missing, { grid: 1, block: threads }, { comm: dev, signals, out, cycles: 2000n });
      const results = count(threads).flatMap((thread) => (thread === 0 ? [8, 8, 8, 0] : [0, 0, 0, 0]));
      expectValues(`rank ${comm.rank}`, await out.read(), results);
      await meet(comm);
    });
  },
});
