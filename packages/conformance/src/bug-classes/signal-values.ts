import { teamWorld } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass, ExpectedFinding } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel } from './bug-program.ts';

const requirements = {
  ginConnectionType: 'full',
  ginSignalCount: 1,
  ginCounterCount: 1,
  worldGinBarrierCount: 1,
} as const;
const use = { gin, lsa, teamWorld };

const tooEarly: ExpectedFinding = {
  kind: 'race',
  lines: ['const seen =', 'net.put('],
  anyOrder: true,
  missing: ['completion'],
};

/** Rank 1 waits for one more than the value that it has read. */
const oneMore = (MEET: boolean): BugKernel =>
  kernel(
    { name: `oneMore_${MEET}`, use: { ...use, MEET }, params },
    ({ gin, lsa, teamWorld, MEET, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const bar = gin.barrierSession(coopThread(), net, 'world', 0);
      const before = net.readSignal(0);
      if (MEET) bar.sync(coopThread(), 'acquire', 'none');
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0));
        net.flush(coopThread());
      } else {
        net.waitSignal(coopThread(), 0, before + 1);
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

export const baselineRace: BugClass = {
  id: 'G9',
  title: 'a kernel reads the base of a signal when the peer may already have signalled',
  programs: [
    bugProgram({
      name: 'G9/no-barrier',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: oneMore(false) }],
      expects: { kind: 'deadlock', lines: ['net.waitSignal('], ranks: [1], sometimes: true },
    }),
    bugProgram({
      name: 'G9/barrier',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: oneMore(true) }],
      result: (rank) => [rank === 0 ? 0 : dataWord(0, 0)],
      expects: 'clean',
    }),
  ],
};

/** Rank 1 resets its signal, and rank 0 signals after a barrier or at any time. */
const resetAndSignal = (MEET: boolean): BugKernel =>
  kernel(
    { name: `resetAndSignal_${MEET}`, use: { ...use, MEET }, params },
    ({ gin, teamWorld, MEET, coopThread }, { comm }) => {
      const net = gin.context(comm, 0);
      const bar = gin.barrierSession(coopThread(), net, 'world', 0);
      if (comm.rank === 1) net.resetSignal(0);
      if (MEET) bar.sync(coopThread(), 'acq_rel', 'none');
      if (comm.rank === 0) {
        net.signal(teamWorld(comm), 1, gin.strongSignalInc(0));
        net.flush(coopThread());
      } else net.waitSignal(coopThread(), 0, 1);
    },
  );

export const resetRace: BugClass = {
  id: 'G10',
  title: 'a signal is reset while a peer may change it',
  programs: [
    bugProgram({
      name: 'G10/no-barrier',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: resetAndSignal(false) }],
      expects: {
        kind: 'race',
        lines: ['net.resetSignal(', 'net.signal('],
        anyOrder: true,
        may: [
          // The signal was in flight.
          { kind: 'misuse', lines: ['net.resetSignal('], ranks: [1] },
          // The signal was lost.
          { kind: 'deadlock', lines: ['net.waitSignal('], ranks: [1] },
        ],
      },
    }),
    bugProgram({
      name: 'G10/barrier',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: resetAndSignal(true) }],
      expects: 'clean',
    }),
  ],
};

const twoChanges = (MIXED: boolean): BugKernel =>
  kernel(
    { name: `twoChanges_${MIXED}`, use: { ...use, MIXED }, params },
    ({ gin, teamWorld, MIXED, coopThread }, { comm }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        if (MIXED) net.signal(world, 1, gin.strongSignalInc(0));
        else net.signal(world, 1, gin.strongSignalAdd(0, 1));
        net.signal(world, 1, gin.strongSignalAdd(0, 4));
        net.flush(coopThread());
      } else net.waitSignal(coopThread(), 0, 5);
    },
  );

export const incAndAdd: BugClass = {
  id: 'G11',
  title: 'a kernel changes one signal by Inc and by Add, with no reset in between',
  programs: [
    bugProgram({
      name: 'G11/both',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: twoChanges(true) }],
      expects: { kind: 'misuse', lines: ['gin.strongSignalAdd(0, 4)'], ranks: [0] },
    }),
    bugProgram({
      name: 'G11/add-only',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: twoChanges(false) }],
      expects: 'clean',
    }),
  ],
};

/** A wait that compares this many low bits with this value. */
const rolling = (BITS: number, AMOUNT: bigint): BugKernel =>
  kernel(
    { name: `rolling_${BITS}_${AMOUNT}`, use: { ...use, BITS, AMOUNT }, params },
    ({ gin, lsa, teamWorld, BITS, AMOUNT, coopThread, u32, u64 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakSignalAdd(0, u64(AMOUNT)));
        net.flush(coopThread());
      } else {
        net.waitSignal(coopThread(), 0, u64(AMOUNT), { bits: BITS });
        const seen = lsa.localPointer(inbox, u32, 0).load(0);
        net.waitSignal(coopThread(), 0, u64(AMOUNT) / 2);
        net.waitSignal(coopThread(), 0, u64(AMOUNT));
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

/** Like G1, but with a wait for a counter whose comparison wraps around. */
const rollingCounter = (BITS: number): BugKernel =>
  kernel(
    { name: `rollingCounter_${BITS}`, use: { ...use, BITS }, params },
    ({ gin, lsa, teamWorld, BITS, coopThread, u32 }, { comm, data, inbox }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        const counted = { localAction: gin.weakCounterInc(0) };
        for (let i = 0; i < 3; i++) {
          net.put(teamWorld(comm), 1, inbox, 4 * i, data, 0, 4, gin.weakSignalInc(0), counted);
        }
        net.waitCounter(coopThread(), 0, 3, { bits: BITS });
        lsa.localPointer(data, u32, 0).store(0, 7);
        net.flush(coopThread());
      } else net.waitSignal(coopThread(), 0, 3);
    },
  );

const received = (rank: number): readonly number[] => [rank === 0 ? 0 : dataWord(0, 0)];

export const rollingCompare: BugClass = {
  id: 'G12',
  title: 'the comparison of a wait wraps around, because it has too few bits or the value is half the range away',
  programs: [
    bugProgram({
      name: 'G12/two-bits',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: rolling(2, 3n) }],
      // In two bits, 0 follows 3. If the signal had already come, the wait worked by chance.
      expects: { ...tooEarly, anyOrder: { missing: [] }, sometimes: true },
    }),
    bugProgram({
      name: 'G12/three-bits',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: rolling(3, 3n) }],
      result: received,
      expects: 'clean',
    }),
    bugProgram({
      name: 'G12/more-than-half-the-range',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: rolling(64, 2n ** 63n + 2n) }],
      expects: { ...tooEarly, anyOrder: { missing: [] }, sometimes: true },
    }),
    bugProgram({
      name: 'G12/half-the-range',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: rolling(64, 2n ** 63n - 2n) }],
      result: received,
      expects: 'clean',
    }),
    bugProgram({
      name: 'G12/three-bits-of-a-counter',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: rollingCounter(3) }],
      expects: 'clean',
    }),
    bugProgram({
      name: 'G12/two-bits-of-a-counter',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: rollingCounter(2) }],
      expects: {
        kind: 'race',
        lines: ['.store(0, 7)', 'net.put('],
        anyOrder: true,
        missing: ['completion'],
        sometimes: true,
      },
    }),
  ],
};

/** Two puts to two words, both read, after a wait for this many signals. */
const waitFor = (LEAST: number): BugKernel =>
  kernel(
    { name: `waitFor_${LEAST}`, use: { ...use, LEAST }, params },
    ({ gin, lsa, teamWorld, LEAST, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        for (let i = 0; i < 2; i++) {
          net.put(teamWorld(comm), 1, inbox, 4 * i, data, 4 * i, 4, gin.weakSignalInc(0));
        }
        net.flush(coopThread());
      } else {
        net.waitSignal(coopThread(), 0, LEAST);
        const seen = lsa.localPointer(inbox, u32, 0).load(0) + lsa.localPointer(inbox, u32, 0).load(1);
        lsa.localPointer(out, u32, 0).store(0, seen);
      }
    },
  );

/** Two signals, with the number of them that the wait needs. */
const signalTwice = (LEAST: number): BugKernel =>
  kernel(
    { name: `signalTwice_${LEAST}`, use: { ...use, LEAST }, params },
    ({ gin, teamWorld, LEAST, coopThread }, { comm }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        for (let i = 0; i < 2; i++) net.signal(teamWorld(comm), 1, gin.weakSignalInc(0));
        net.flush(coopThread());
      } else net.waitSignal(coopThread(), 0, LEAST);
    },
  );

export const wrongLeast: BugClass = {
  id: 'G13',
  title: 'a wait expects a different number of signals than arrive',
  programs: [
    bugProgram({
      name: 'G13/one-too-few',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: waitFor(1) }],
      expects: {
        ...tooEarly,
        anyOrder: { missing: [] },
        sometimes: true,
        may: [{ kind: 'leftover', severity: 'note', lines: ['net.put('] }],
      },
    }),
    bugProgram({
      name: 'G13/one-too-many',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: waitFor(3) }],
      expects: { kind: 'deadlock', lines: ['net.waitSignal('], ranks: [1] },
    }),
    bugProgram({
      name: 'G13/all',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: waitFor(2) }],
      result: (rank) => [rank === 0 ? 0 : dataWord(0, 0) + dataWord(0, 1)],
      expects: 'clean',
    }),
    bugProgram({
      name: 'G13/signal-left-over',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: signalTwice(1) }],
      expects: { kind: 'leftover', severity: 'note', lines: ['net.signal('] },
    }),
    bugProgram({
      name: 'G13/no-signal-left-over',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: signalTwice(2) }],
      expects: 'clean',
    }),
  ],
};

/** On rank 1, one CTA increases the shadow, and CTA 1 waits for the signal to reach it. */
const meetShadow = (OWNER: number): BugKernel =>
  kernel(
    { name: `meetShadow_${OWNER}`, use: { ...use, OWNER }, params },
    ({ gin, lsa, teamWorld, OWNER, coopThread, blockIdx, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        if (blockIdx.x === 0) {
          net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0));
          net.flush(coopThread());
        }
      } else {
        if (blockIdx.x === u32(OWNER)) net.increaseSignalShadow(0, 1);
        if (blockIdx.x === 1) {
          net.waitSignalMeetShadow(coopThread(), 0);
          const seen = lsa.localPointer(inbox, u32, 0).load(0);
          lsa.localPointer(out, u32, 0).store(0, seen);
        }
      }
    },
  );

export const shadowDesync: BugClass = {
  id: 'G21',
  title: 'one CTA changes the shadow of a signal, and another CTA waits for it',
  programs: [
    bugProgram({
      name: 'G21/other-cta',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: meetShadow(0), grid: 2 }],
      expects: {
        kind: 'race',
        lines: ['net.waitSignalMeetShadow(', 'net.increaseSignalShadow('],
        anyOrder: true,
        ranks: [1, 1],
        missing: ['synchronisation'],
        // The wait ends immediately if the shadow has not grown yet.
        may: [
          { kind: 'race', lines: ['const seen =', 'net.put('], anyOrder: true },
          { kind: 'leftover', severity: 'note', lines: ['net.put('] },
        ],
      },
    }),
    bugProgram({
      name: 'G21/same-cta',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: meetShadow(1), grid: 2 }],
      result: received,
      expects: 'clean',
    }),
  ],
};
