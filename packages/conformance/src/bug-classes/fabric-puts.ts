import { cft } from '@nccl-ts/cft';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, dataWord, params, type BugKernel } from './bug-program.ts';

const requirements = { cftCaps: 'cft' } as const;
const use = { cft, lsa };
const words = 64;

/** The words at the start of the inbox that rank 0 puts to rank 1. */
const result = (rank: number): readonly number[] => (rank === 0 ? [0] : [dataWord(0, 0), dataWord(0, 7)]);

/**
 * Rank 0 puts to rank 1, and sets a flag with release. Rank 1 waits for it with acquire. One step
 * is missing.
 */
const handOver = (MISSING: 'nothing' | 'source fence' | 'flush' | 'release' | 'acquire'): BugKernel =>
  kernel(
    { name: `handOverWithout_${MISSING.replace(' ', '_')}`, use: { ...use, MISSING }, params },
    ({ cft, lsa, MISSING, coopThread, sharedArray, waitUntil, u32, u64 }, { comm, data, inbox, out }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 8);
      const fabric = cft.session(coopThread(), smem);
      const own = lsa.localPointer(inbox, u32, 0);
      if (comm.rank === 0) {
        for (let i = 0; i < 8; i++) part.store(i, lsa.localPointer(data, u32, 0).load(i)); // the source
        if (MISSING !== 'source fence') cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
        const le = cft.leInfo(inbox, 0, 1, cft.team(comm), comm);
        fabric.put(coopThread(), le.leId, le.leOffset, part, 32);
        fabric.submit(coopThread());
        if (MISSING !== 'flush') fabric.flush(coopThread());
        if (MISSING !== 'release') cft.memFence(coopThread(), 'release', 'fabric', 'generic', 'system');
        lsa.pointer(inbox, u32, 0, 1).store(32, 1, 'release');
        if (MISSING === 'flush') fabric.flush(coopThread());
      } else {
        waitUntil(() => own.load(32, 'acquire') === 1);
        if (MISSING !== 'acquire') cft.memFence(coopThread(), 'acquire', 'fabric', 'generic', 'system');
        const first = own.load(0);
        const last = own.load(7);
        lsa.localPointer(out, u32, 0).store(0, first);
        lsa.localPointer(out, u32, 0).store(1, last);
      }
    },
  );

export const fabricNotFlushed: BugClass = {
  id: 'F1',
  title: 'a flag announces a fabric put that was not flushed',
  programs: [
    bugProgram({
      name: 'F1/no-flush',
      words,
      requirements,
      launches: [{ kernel: handOver('flush') }],
      expects: {
        kind: 'race',
        lines: ['own.load(', 'fabric.put('],
        anyOrder: true,
        missing: ['completion'],
      },
    }),
    bugProgram({
      name: 'F1/flush',
      words,
      requirements,
      launches: [{ kernel: handOver('nothing') }],
      result,
      expects: 'clean',
    }),
  ],
};

export const fabricFences: BugClass = {
  id: 'F2',
  title: 'bytes are accessed by a thread and through a logical endpoint, without a fence of the fabric proxy',
  programs: [
    ...(['release', 'acquire'] as const).map((missing) =>
      bugProgram({
        name: `F2/no-${missing}`,
        words,
        requirements,
        launches: [{ kernel: handOver(missing) }],
        expects: { kind: 'proxy', lines: ['own.load(', 'fabric.put('], missing: ['proxy-fence'] },
      }),
    ),
    bugProgram({
      name: 'F2/no-source-fence',
      words,
      requirements,
      launches: [{ kernel: handOver('source fence') }],
      expects: {
        kind: 'proxy',
        lines: ['fabric.put(', '// the source'],
        missing: ['proxy-fence'],
        // In some executions the put reads the old data.
        may: [{ kind: 'uninitialised', lines: ['fabric.put('] }],
      },
    }),
    bugProgram({
      name: 'F2/both',
      words,
      requirements,
      launches: [{ kernel: handOver('nothing') }],
      result,
      expects: 'clean',
    }),
  ],
};

/** The source is overwritten after the call, with or without a wait for its reads. */
const overwrite = (AFTER: 'nothing' | 'flushSmem'): BugKernel =>
  kernel(
    { name: `overwriteFabricSourceAfter_${AFTER}`, use: { ...use, AFTER }, params },
    ({ cft, AFTER, coopThread, sharedArray, u32, u64 }, { comm, inbox }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 8);
      const fabric = cft.session(coopThread(), smem);
      for (let i = 0; i < 8; i++) part.store(i, u32(comm.rank));
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      const team = cft.team(comm);
      const le = cft.leInfo(inbox, 0, (team.rank + 1) % team.nRanks, team, comm);
      fabric.put(coopThread(), le.leId, le.leOffset, part, 32);
      fabric.submit(coopThread());
      if (AFTER === 'flushSmem') fabric.flushSmem(coopThread());
      part.store(0, 7); // again
      fabric.flush(coopThread());
    },
  );

export const fabricSource: BugClass = {
  id: 'F3',
  title: 'the source of a fabric put is overwritten while it may still be read',
  programs: [
    bugProgram({
      name: 'F3/at-once',
      requirements,
      launches: [{ kernel: overwrite('nothing') }],
      expects: { kind: 'race', lines: ['// again', 'fabric.put('], anyOrder: true, missing: ['completion'] },
    }),
    bugProgram({
      name: 'F3/after-flush-smem',
      requirements,
      launches: [{ kernel: overwrite('flushSmem') }],
      expects: 'clean',
    }),
  ],
};

/**
 * The number of words of a counted put. A put to all ranks is a single part, because that has few
 * orders.
 */
const putWords = { unicast: 8, multicast: 4 } as const;

/** Both ranks make counted puts, and wait for `LEAST` bytes with an order. */
const count = (WAY: 'unicast' | 'multicast', ORDER: 'acquire' | 'relaxed', LEAST: number): BugKernel =>
  kernel(
    {
      name: `count_${WAY}_${ORDER}_${LEAST}`,
      use: { ...use, WAY, ORDER, LEAST, SIZE: putWords[WAY] },
      params,
    },
    ({ cft, lsa, WAY, ORDER, LEAST, SIZE, coopThread, sharedArray, u32, u64 }, { comm, data, inbox, out }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 8);
      const fabric = cft.session(coopThread(), smem);
      for (let i = 0; i < SIZE; i++) part.store(i, lsa.localPointer(data, u32, 0).load(i));
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      if (WAY === 'unicast') {
        const le = cft.peerLeInfo(inbox, 0, (comm.rank + 1) % comm.nRanks, comm);
        fabric.putCounted(coopThread(), le.leId, le.leOffset, le.leOffset + u64(256), part, 32); // unicast
      } else {
        const le = cft.multimemLeInfo(inbox, 0, comm);
        const place = le.leOffset + u64(comm.rank * 16);
        fabric.putMultimemCounted(coopThread(), le.leId, place, le.leOffset + u64(256), part, 16); // multicast
      }
      fabric.submit(coopThread());
      const counter = lsa.localPointer(inbox, u64, 256);
      fabric.waitCounted(coopThread(), ORDER, 'generic', counter, LEAST);
      let sum = u32(0);
      for (let i = 0; i < 8; i++) sum += lsa.localPointer(inbox, u32, 0).load(i); // all of them
      lsa.localPointer(out, u32, 0).store(0, sum);
      fabric.flush(coopThread());
    },
  );

/** The sum of the first words of a rank's data. */
function sumOf(rank: number, words: number): number {
  return words * dataWord(rank, 0) + (words * (words - 1)) / 2;
}

const counting = { words: 128, cftCounted: true } as const;
const multicast = { ...counting, requirements: { cftCaps: 'cftMultimem', lsaMultimem: true } } as const;

export const fabricCounter: BugClass = {
  id: 'F4',
  title: 'a wait for a fabric counter is too short, or does not acquire',
  programs: [
    bugProgram({
      name: 'F4/half',
      ...counting,
      requirements,
      launches: [{ kernel: count('unicast', 'acquire', 16) }],
      expects: { kind: 'race', lines: ['// all of them', '// unicast'], anyOrder: true, missing: ['completion'] },
    }),
    bugProgram({
      name: 'F4/relaxed',
      ...counting,
      requirements,
      launches: [{ kernel: count('unicast', 'relaxed', 32) }],
      expects: { kind: 'race', lines: ['// all of them', '// unicast'], anyOrder: true },
    }),
    bugProgram({
      name: 'F4/all',
      ...counting,
      requirements,
      launches: [{ kernel: count('unicast', 'acquire', 32) }],
      result: (rank) => [sumOf(1 - rank, 8)],
      expects: 'clean',
    }),
    bugProgram({
      name: 'F4/one-of-two-ranks',
      ...multicast,
      launches: [{ kernel: count('multicast', 'acquire', 16) }],
      expects: { kind: 'race', lines: ['// all of them', '// multicast'], anyOrder: true, missing: ['completion'] },
    }),
    bugProgram({
      name: 'F4/both-ranks',
      ...multicast,
      launches: [{ kernel: count('multicast', 'acquire', 32) }],
      result: () => [sumOf(0, 4) + sumOf(1, 4)],
      expects: 'clean',
    }),
  ],
};
