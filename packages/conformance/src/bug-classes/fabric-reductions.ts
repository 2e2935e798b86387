import { cft } from '@nccl-ts/cft';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

const requirements = { cftCaps: 'cft' } as const;
const use = { cft, lsa };
const words = 64;

type ReductionVariant = 'red' | 'put' | 'atomics' | 'other type';
type SyncStep = 'nothing' | 'flush' | 'release' | 'acquire';

/**
 * Both ranks combine into two u64 of rank 0, rank 0 in one of several ways. Rank 0 then reads them,
 * and one step may be missing.
 */
const combine = (WAY: ReductionVariant, MISSING: SyncStep = 'nothing'): BugKernel =>
  kernel(
    {
      name: `combineBy_${WAY.replace(' ', '_')}_without_${MISSING}`,
      use: { ...use, WAY, MISSING },
      params,
    },
    ({ cft, lsa, WAY, MISSING, coopThread, sharedArray, waitUntil, u32, u64 }, { comm, inbox, out }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u64, 2);
      const fabric = cft.session(coopThread(), smem);
      for (let i = 0; i < 2; i++) part.store(i, u64(i + 1)); // the source
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      const le = cft.leInfo(inbox, 0, 0, cft.team(comm), comm);
      const own = lsa.localPointer(inbox, u64, 0);
      if (comm.rank === 1) {
        fabric.red(coopThread(), le.leId, le.leOffset, 'sum', part, 16); // by rank 1
        fabric.submit(coopThread());
        if (MISSING !== 'flush') fabric.flush(coopThread());
        if (MISSING !== 'release') cft.memFence(coopThread(), 'release', 'fabric', 'generic', 'system');
        lsa.pointer(inbox, u32, 0, 0).store(32, 1, 'release');
        if (MISSING === 'flush') fabric.flush(coopThread());
      } else {
        if (WAY === 'red') {
          fabric.red(coopThread(), le.leId, le.leOffset, 'sum', part, 16); // by rank 0
        } else if (WAY === 'put') {
          fabric.put(coopThread(), le.leId, le.leOffset, part, 16); // in another way
        } else if (WAY === 'other type') {
          fabric.red(coopThread(), le.leId, le.leOffset, 'sum', part.cast(u32), 16); // in another way
        } else {
          for (let i = 0; i < 2; i++) own.atomicAdd(i, u64(i + 1), 'relaxed', 'system'); // in another way
        }
        fabric.submit(coopThread());
        fabric.flush(coopThread());
        cft.memFence(coopThread(), 'release', 'fabric', 'generic', 'system');
        waitUntil(() => lsa.localPointer(inbox, u32, 0).load(32, 'acquire') === 1);
        if (MISSING !== 'acquire') cft.memFence(coopThread(), 'acquire', 'fabric', 'generic', 'system');
        const first = own.load(0);
        const last = own.load(1);
        lsa.localPointer(out, u32, 0).store(0, u32(first));
        lsa.localPointer(out, u32, 0).store(1, u32(last));
      }
    },
  );

/** The race of rank 0's access with the reduction of rank 1. */
const beside = { kind: 'race', lines: ['// in another way', '// by rank 1'], anyOrder: true } as const;

export const fabricReductions: BugClass = {
  id: 'F8',
  title: 'elements that the fabric reduces are accessed in another way, or before the reduction has ended',
  programs: [
    ...(['put', 'atomics', 'other type'] as const).map((way) =>
      bugProgram({
        name: `F8/${way.replace(' ', '-')}`,
        words,
        requirements,
        launches: [{ kernel: combine(way) }],
        expects: { ...beside },
      }),
    ),
    bugProgram({
      name: 'F8/no-flush',
      words,
      requirements,
      launches: [{ kernel: combine('red', 'flush') }],
      expects: { kind: 'race', lines: ['own.load(', '// by rank 1'], anyOrder: true, missing: ['completion'] },
    }),
    bugProgram({
      name: 'F8/no-release',
      words,
      requirements,
      launches: [{ kernel: combine('red', 'release') }],
      expects: { kind: 'proxy', lines: ['own.load(', '// by rank 1'], missing: ['proxy-fence'] },
    }),
    bugProgram({
      name: 'F8/no-acquire',
      words,
      requirements,
      launches: [{ kernel: combine('red', 'acquire') }],
      expects: {
        kind: 'proxy',
        lines: ['own.load(', '// by rank 1'],
        missing: ['proxy-fence'],
        also: [{ kind: 'proxy', lines: ['own.load(', '// by rank 0'], missing: ['proxy-fence'] }],
      },
    }),
    bugProgram({
      name: 'F8/red',
      words,
      requirements,
      launches: [{ kernel: combine('red') }],
      result: (rank) => (rank === 0 ? [2, 4] : [0, 0]),
      expects: 'clean',
    }),
  ],
};

/** A warp combines the copies of both ranks, and uses the result. */
const pull = (MISSING: 'nothing' | 'flush'): BugKernel =>
  kernel(
    { name: `pullWithout_${MISSING}`, use: { ...use, MISSING }, params },
    ({ cft, lsa, MISSING, coopWarp, sharedArray, threadIdx, u32, u64 }, { comm, data, out }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 4);
      const fabric = cft.session(coopWarp(), smem);
      const le = cft.multimemLeInfo(data, 0, comm);
      fabric.pullRed(coopWarp(), le.leId, le.leOffset, 'sum', part, 16); // the pull
      fabric.submit(coopWarp());
      if (MISSING !== 'flush') fabric.flush(coopWarp());
      if (threadIdx.x === 0) lsa.localPointer(out, u32, 0).store(0, part.load(3)); // the result
      if (MISSING === 'flush') fabric.flush(coopWarp());
    },
  );

const pulls = { requirements: { cftCaps: 'cftMultimem', lsaMultimem: true } } as const;

export const fabricPulls: BugClass = {
  id: 'F9',
  title: 'the result of a reduction over all copies is used before the flush',
  programs: [
    bugProgram({
      name: 'F9/no-flush',
      ...pulls,
      launches: [{ kernel: pull('flush'), block: 32 }],
      expects: {
        kind: 'race',
        lines: ['// the result', '// the pull'],
        anyOrder: true,
        missing: ['completion'],
        may: [{ kind: 'uninitialised', lines: ['// the result'] }],
      },
    }),
    bugProgram({
      name: 'F9/flush',
      ...pulls,
      launches: [{ kernel: pull('nothing'), block: 32 }],
      result: () => [306],
      expects: 'clean',
    }),
  ],
};
