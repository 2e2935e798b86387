import { teamWorld } from '@nccl-ts/devcomm';
import { gin } from '@nccl-ts/gin';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel } from './bug-program.ts';

const requirements = { ginConnectionType: 'full', ginSignalCount: 1, ginCounterCount: 1 } as const;
const use = { gin, lsa, teamWorld };

/**
 * Rank 0 puts and then overwrites the source: after the flush, after the counter, or before both.
 */
const overwrite = (AFTER: 'flush' | 'counter' | 'nothing'): BugKernel =>
  kernel(
    { name: `overwriteAfter_${AFTER}`, use: { ...use, AFTER }, params },
    ({ gin, lsa, teamWorld, AFTER, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        const counted = AFTER === 'counter' ? { localAction: gin.weakCounterInc(0) } : {};
        net.put(teamWorld(comm), 1, inbox, 0, data, 0, 16, gin.weakSignalInc(0), counted);
        if (AFTER === 'flush') net.flush(coopThread());
        if (AFTER === 'counter') net.waitCounter(coopThread(), 0, 1);
        lsa.localPointer(data, u32, 0).store(0, 7);
        net.flush(coopThread());
      } else {
        net.waitSignal(coopThread(), 0, 1);
        lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0));
      }
    },
  );

const result = (rank: number): readonly number[] => [rank === 0 ? 0 : dataWord(0, 0)];

export const sourceReuse: BugClass = {
  id: 'G1',
  title: 'the source of a put is overwritten while the network may still read it',
  programs: [
    bugProgram({
      name: 'G1/before-flush',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: overwrite('nothing') }],
      expects: {
        kind: 'race',
        lines: ['.store(0, 7)', 'net.put('],
        anyOrder: true,
        ranks: [0, 0],
        missing: ['completion'],
      },
    }),
    bugProgram({
      name: 'G1/after-flush',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: overwrite('flush') }],
      result,
      expects: 'clean',
    }),
    bugProgram({
      name: 'G1/after-counter',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: overwrite('counter') }],
      result,
      expects: 'clean',
    }),
  ],
};

/** Two puts to two ranks, counted in one counter. */
const oneCounter = (LEAST: number): BugKernel =>
  kernel(
    { name: `oneCounter_${LEAST}`, use: { ...use, LEAST }, params },
    ({ gin, lsa, teamWorld, LEAST, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        const counted = { localAction: gin.weakCounterInc(0) };
        net.put(world, 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0), counted); // the first
        net.put(world, 0, inbox, 4, data, 4, 4, gin.weakSignalInc(0), counted);
        net.waitCounter(coopThread(), 0, LEAST);
        lsa.localPointer(data, u32, 0).store(0, 7);
        net.flush(coopThread());
      }
      net.waitSignal(coopThread(), 0, 1);
      lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(comm.rank === 0 ? 1 : 0));
    },
  );

export const cumulativeCounter: BugClass = {
  id: 'G5',
  title: 'a count of completed puts is mistaken for the completion of one of them',
  programs: [
    bugProgram({
      name: 'G5/one-of-two',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: oneCounter(1) }],
      expects: {
        kind: 'race',
        lines: ['.store(0, 7)', '// the first'],
        anyOrder: true,
        ranks: [0, 0],
        missing: ['completion'],
        // If the second put was not completed first, the count was that of the first.
        sometimes: true,
      },
    }),
    bugProgram({
      name: 'G5/both',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: oneCounter(2) }],
      result: (rank) => [dataWord(0, rank === 0 ? 1 : 0)],
      expects: 'clean',
    }),
  ],
};

/** One thread stores and puts. It declares that it has already released, or does not. */
const storeAndPut = (LIES: boolean): BugKernel =>
  kernel(
    { name: `storeAndPut_${LIES}`, use: { ...use, LIES }, params },
    ({ gin, lsa, teamWorld, LIES, coopThread, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      if (comm.rank === 0) {
        lsa.localPointer(data, u32, 0).store(0, 7);
        const given = LIES ? ({ givenRelease: 'device' } as const) : {};
        net.put(teamWorld(comm), 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0), given);
        net.flush(coopThread());
      } else {
        net.waitSignal(coopThread(), 0, 1);
        lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0));
      }
    },
  );

const sevenAt1 = (rank: number): readonly number[] => [rank === 0 ? 0 : 7];

export const sourceNotReleased: BugClass = {
  id: 'G16',
  title: 'the network reads data that was stored without a release',
  programs: [
    bugProgram({
      name: 'G16/given-release-that-was-not',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: storeAndPut(true) }],
      expects: { kind: 'race', lines: ['net.put(', '.store(0, 7)'], ranks: [0, 0], missing: ['release'] },
    }),
    bugProgram({
      name: 'G16/put-releases',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: storeAndPut(false) }],
      result: sevenAt1,
      expects: 'clean',
    }),
  ],
};

/** Thread 1 stores, and thread 0 puts. */
const oneStoresOtherPuts = (MEET: 'before' | 'in the put' | 'not'): BugKernel =>
  kernel(
    { name: `oneStoresOtherPuts`, use: { ...use, MEET }, params },
    ({ gin, lsa, teamWorld, MEET, coopCta, coopThread, threadIdx, u32 }, { comm, data, inbox, out }) => {
      const net = gin.context(comm, 0);
      const world = teamWorld(comm);
      if (comm.rank === 0) {
        if (threadIdx.x === 1) lsa.localPointer(data, u32, 0).store(0, 7);
        if (MEET === 'before') coopCta().sync();
        if (MEET === 'in the put') {
          net.put(world, 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0), { coop: coopCta() });
        } else if (threadIdx.x === 0) net.put(world, 1, inbox, 0, data, 0, 4, gin.weakSignalInc(0));
        net.flush(coopCta());
      } else if (threadIdx.x === 0) {
        net.waitSignal(coopThread(), 0, 1);
        lsa.localPointer(out, u32, 0).store(0, lsa.localPointer(inbox, u32, 0).load(0));
      }
    },
  );

export const putForOthers: BugClass = {
  id: 'G17',
  title: 'one thread puts data that other threads stored, without a barrier',
  programs: [
    bugProgram({
      name: 'G17/not-met',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: oneStoresOtherPuts('not'), block: 2 }],
      expects: {
        kind: 'race',
        lines: ['net.put(', '.store(0, 7)'],
        anyOrder: { missing: [] },
        ranks: [0, 0],
        missing: ['coop-sync'],
      },
    }),
    bugProgram({
      name: 'G17/met',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: oneStoresOtherPuts('before'), block: 2 }],
      result: sevenAt1,
      expects: 'clean',
    }),
    bugProgram({
      name: 'G17/put-of-the-group',
      lsaSize: 1,
      requirements,
      launches: [{ kernel: oneStoresOtherPuts('in the put'), block: 2 }],
      result: sevenAt1,
      expects: 'clean',
    }),
  ],
};
