import { teamWorld } from '@nccl-ts/devcomm';
import { gin, type GinFence } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass, ExpectedFinding } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel } from './bug-program.ts';

/*
 * Rank 0 puts word 0 of its data to rank 1. Rank 1 reads it too early, or after a signal that does
 * not cover it.
 */

const requirements = {
  ginConnectionType: 'full',
  ginSignalCount: 2,
  ginContextCount: 2,
  worldGinBarrierCount: 1,
} as const;
const use = { gin, lsa, teamWorld };
const result = (rank: number): readonly number[] => [rank === 0 ? 0 : dataWord(0, 0)];

const tooEarly: ExpectedFinding = {
  kind: 'race',
  lines: ['const seen =', 'net.put('],
  anyOrder: true,
  missing: ['completion'],
};

const readAndWait = (WAIT_FIRST: boolean): BugKernel =>
  kernel(
    { name: `readAndWait_${WAIT_FIRST}`, use: { ...use, WAIT_FIRST }, params },
    ({ gin, lsa, teamWorld, WAIT_FIRST, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0));
        net.flush(coopThread());
      } else {
        if (WAIT_FIRST) net.waitSignal(coopThread(), 0, 1);
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        if (!WAIT_FIRST) net.waitSignal(coopThread(), 0, 1);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

/** Like `waitSignal` without the acquire. */
const relaxedWait = kernel(
  { name: 'relaxedWait', use, params },
  ({ gin, lsa, teamWorld, coopThread, u32 }, { comm, data, inbox, out }) => {
    const net = gin.context(comm, 0);
    if (comm.rank === 0) {
      net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0));
      net.flush(coopThread());
    } else {
      net.waitSignal(coopThread(), 0, 1, { order: 'relaxed' });
      const seen = lsa.localPointer(inbox, u32, 0).load(0);
      lsa.localPointer(out, u32, 0).store(0, seen);
    }
  },
);

/** Waits by reading the signal itself. */
const readInWait = (ORDER: 'acquire' | 'relaxed'): BugKernel =>
  kernel(
    { name: `readInWait_${ORDER}`, use: { ...use, ORDER }, params },
    ({ gin, lsa, teamWorld, ORDER, coopThread, waitUntil, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0));
        net.flush(coopThread());
      } else {
        waitUntil(() => net.readSignal(0, { order: ORDER }) >= 1);
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

export const readTooEarly: BugClass = {
  id: 'G2',
  title: 'the destination of a put is read before a wait for its signal',
  programs: [
    bugProgram({
      name: 'G2/before-wait',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: readAndWait(false) }],
      expects: { ...tooEarly, anyOrder: { missing: [] } },
    }),
    bugProgram({
      name: 'G2/relaxed-wait',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: relaxedWait }],
      expects: { ...tooEarly, anyOrder: { missing: [] }, missing: ['acquire'] },
    }),
    bugProgram({
      name: 'G2/relaxed-read-in-wait',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: readInWait('relaxed') }],
      expects: { ...tooEarly, anyOrder: { missing: [] }, missing: ['acquire'] },
    }),
    bugProgram({
      name: 'G2/read-in-wait',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: readInWait('acquire') }],
      result,
      expects: 'clean',
    }),
    bugProgram({
      name: 'G2/after-wait',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: readAndWait(true) }],
      result,
      expects: 'clean',
    }),
  ],
};

/** Announces the data by a flag that is stored after the flush, or by a signal. */
const flushAndTell = (BY_FLAG: boolean): BugKernel =>
  kernel(
    { name: `flushAndTell_${BY_FLAG}`, use: { ...use, BY_FLAG }, params },
    ({ gin, lsa, teamWorld, BY_FLAG, coopThread, waitUntil, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const flag = lsa.pointer(out, u32, 4, 1);
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, BY_FLAG ? undefined : gin.weakSignalInc(0));
        net.flush(coopThread());
        if (BY_FLAG) flag.store(0, 1, 'release');
      } else {
        if (BY_FLAG) waitUntil(() => flag.load(0, 'acquire') === 1);
        else net.waitSignal(coopThread(), 0, 1);
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

export const flushIsLocal: BugClass = {
  id: 'G3',
  title: 'a flush is mistaken for arrival at the peer',
  programs: [
    bugProgram({
      name: 'G3/flush-and-flag',
      requirements,
      launches: [{ kernel: flushAndTell(true) }],
      expects: tooEarly,
    }),
    bugProgram({
      name: 'G3/signal',
      requirements,
      launches: [{ kernel: flushAndTell(false) }],
      result,
      expects: 'clean',
    }),
  ],
};

/** Two puts. The second one has a strong or a weak signal. */
const signalOfSecond = (STRONG: boolean): BugKernel =>
  kernel(
    { name: `signalOfSecond_${STRONG}`, use: { ...use, STRONG }, params },
    ({ gin, lsa, teamWorld, STRONG, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        net.put(world, 1, inbox, 0, data, 0, 4); // the first
        net.put(world, 1, inbox, 4, data, 4, 4, STRONG ? gin.strongSignalInc(0) : gin.weakSignalInc(0));
        net.flush(coopThread());
      } else {
        net.waitSignal(coopThread(), 0, 1);
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

/** Two puts, each with a signal. The receiver waits for one of them. */
const anyOfTwo = (STRONG: boolean): BugKernel =>
  kernel(
    { name: `anyOfTwo_${STRONG}`, use: { ...use, STRONG }, params },
    ({ gin, lsa, teamWorld, STRONG, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        net.put(world, 1, inbox, 0, data, 0, 4, STRONG ? gin.strongSignalInc(0) : gin.weakSignalInc(0)); // the first
        net.put(world, 1, inbox, 4, data, 4, 4, STRONG ? gin.strongSignalInc(0) : gin.weakSignalInc(0));
        net.flush(coopThread());
      } else {
        net.waitSignal(coopThread(), 0, 1);
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        net.waitSignal(coopThread(), 0, 2);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

export const weakForStrong: BugClass = {
  id: 'G4',
  title: 'a weak signal is mistaken for one that covers earlier puts',
  programs: [
    bugProgram({
      name: 'G4/weak-after-put',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: signalOfSecond(false) }],
      expects: { ...tooEarly, lines: ['const seen =', '// the first'] },
    }),
    bugProgram({
      name: 'G4/strong-after-put',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: signalOfSecond(true) }],
      result,
      expects: 'clean',
    }),
    bugProgram({
      name: 'G4/any-weak',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: anyOfTwo(false) }],
      // The first put is covered if its signal came first, or if both had come.
      expects: { ...tooEarly, lines: ['const seen =', '// the first'], sometimes: true },
    }),
    bugProgram({
      name: 'G4/any-strong',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: anyOfTwo(true) }],
      result,
      expects: 'clean',
    }),
  ],
};

const signalOnContext = (CONTEXT: number): BugKernel =>
  kernel(
    { name: `signalOnContext_${CONTEXT}`, use: { ...use, CONTEXT }, params },
    ({ gin, lsa, teamWorld, CONTEXT, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const other = gin.context(comm, CONTEXT);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        net.put(world, 1, inbox, 0, data, 0, 4);
        other.signal(world, 1, gin.strongSignalInc(0));
        net.flush(coopThread());
        other.flush(coopThread());
      } else {
        other.waitSignal(coopThread(), 0, 1);
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

export const otherContext: BugClass = {
  id: 'G6',
  title: 'the signal and the put use different contexts',
  programs: [
    bugProgram({
      name: 'G6/other-context',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: signalOnContext(1) }],
      expects: tooEarly,
    }),
    bugProgram({
      name: 'G6/same-context',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: signalOnContext(0) }],
      result,
      expects: 'clean',
    }),
  ],
};

const putAndMeet = (FENCE: GinFence): BugKernel =>
  kernel(
    { name: `putAndMeet_${FENCE}`, use: { ...use, FENCE }, params },
    ({ gin, lsa, teamWorld, FENCE, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const bar = gin.barrierSession(coopThread(), net, 'world', 0);
      if (comm.rank === 0) net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4);
      bar.sync(coopThread(), 'acq_rel', FENCE);
      const seen = lsa.localPointer(inbox, u32, 0).load(0);
      net.flush(coopThread());
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

const getAndMeet = (FENCE: GinFence): BugKernel =>
  kernel(
    { name: `getAndMeet_${FENCE}`, use: { ...use, FENCE }, params },
    ({ gin, lsa, teamWorld, FENCE, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const bar = gin.barrierSession(coopThread(), net, 'world', 0);
      if (comm.rank === 1) net.get(teamWorld(comm), 0, data, 0, inbox, 0, 4);
      bar.sync(coopThread(), 'acq_rel', FENCE);
      const seen = lsa.localPointer(inbox, u32, 0).load(0);
      net.flush(coopThread());
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

export const lowFence: BugClass = {
  id: 'G7',
  title: 'the fence of a barrier does not cover the kind of request',
  programs: [
    bugProgram({
      name: 'G7/none-for-put',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putAndMeet('none') }],
      expects: tooEarly,
    }),
    bugProgram({
      name: 'G7/get-for-put',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putAndMeet('get') }],
      expects: tooEarly,
    }),
    bugProgram({
      name: 'G7/put-for-put',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: putAndMeet('put') }],
      result,
      expects: 'clean',
    }),
    bugProgram({
      name: 'G7/put-for-get',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: getAndMeet('put') }],
      expects: { ...tooEarly, lines: ['const seen =', 'net.get('] },
    }),
    bugProgram({
      name: 'G7/get-for-get',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: getAndMeet('get') }],
      result,
      expects: 'clean',
    }),
  ],
};

const getAndRead = (FLUSH_FIRST: boolean): BugKernel =>
  kernel(
    { name: `getAndRead_${FLUSH_FIRST}`, use: { ...use, FLUSH_FIRST }, params },
    ({ gin, lsa, teamWorld, FLUSH_FIRST, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      net.get(teamWorld(comm), 0, data, 0, inbox, 0, 4);
      if (FLUSH_FIRST) net.flush(coopThread());
      const seen = lsa.localPointer(inbox, u32, 0).load(0);
      if (!FLUSH_FIRST) net.flush(coopThread());
      lsa.localPointer(out, u32, 0).store(0, seen);
    },
  );

export const getNotFlushed: BugClass = {
  id: 'G8',
  title: "a get's data is read before the flush",
  programs: [
    bugProgram({
      name: 'G8/before-flush',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: getAndRead(false) }],
      expects: { ...tooEarly, lines: ['const seen =', 'net.get('] },
    }),
    bugProgram({
      name: 'G8/after-flush',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: getAndRead(true) }],
      result: () => [dataWord(0, 0)],
      expects: 'clean',
    }),
  ],
};
