import { cft } from '@nccl-ts/cft';
import { kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import type { BugClass } from './bug-class.ts';
import { bugProgram, params, type BugKernel } from './bug-program.ts';

const requirements = { cftCaps: 'cft' } as const;
const use = { cft, lsa };

/** Rank 0 stores and sets a flag. Rank 1 gets the words through its endpoint. */
const get = (MISSING: 'nothing' | 'flush' | 'release' | 'acquire'): BugKernel =>
  kernel(
    { name: `getWithout_${MISSING}`, use: { ...use, MISSING }, params },
    ({ cft, lsa, MISSING, coopThread, sharedArray, waitUntil, u32, u64 }, { comm, inbox, out }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 8);
      const fabric = cft.session(coopThread(), smem);
      for (let i = 0; i < 8; i++) part.store(i, 0); // before
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      if (comm.rank === 0) {
        for (let i = 0; i < 8; i++) lsa.localPointer(inbox, u32, 0).store(i, 40 + i); // the words
        if (MISSING !== 'release') cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'system');
        lsa.pointer(inbox, u32, 0, 1).store(32, 1, 'release');
      } else {
        waitUntil(() => lsa.localPointer(inbox, u32, 0).load(32, 'acquire') === 1);
        if (MISSING !== 'acquire') cft.memFence(coopThread(), 'acquire', 'generic', 'fabric', 'system');
        const le = cft.leInfo(inbox, 0, 0, cft.team(comm), comm);
        fabric.get(coopThread(), le.leId, le.leOffset, part, 32);
        fabric.submit(coopThread());
        if (MISSING !== 'flush') fabric.flush(coopThread());
        const seen = part.load(7);
        lsa.localPointer(out, u32, 0).store(0, seen);
        if (MISSING === 'flush') fabric.flush(coopThread());
      }
    },
  );

export const fabricGet: BugClass = {
  id: 'F5',
  title: 'the data of a fabric get is used before the flush, or the get reads words that no fence has handed to it',
  programs: [
    bugProgram({
      name: 'F5/no-flush',
      words: 64,
      requirements,
      launches: [{ kernel: get('flush') }],
      expects: { kind: 'race', lines: ['part.load(7)', 'fabric.get('], anyOrder: true, missing: ['completion'] },
    }),
    ...(['release', 'acquire'] as const).map((missing) =>
      bugProgram({
        name: `F5/no-${missing}`,
        words: 64,
        requirements,
        launches: [{ kernel: get(missing) }],
        expects: { kind: 'proxy', lines: ['fabric.get(', '// the words'], missing: ['proxy-fence'] },
      }),
    ),
    bugProgram({
      name: 'F5/flush',
      words: 64,
      requirements,
      launches: [{ kernel: get('nothing') }],
      result: (rank) => [rank === 0 ? 0 : 47],
      expects: 'clean',
    }),
  ],
};

type FabricRule =
  | 'none'
  | 'submit'
  | 'flush'
  | 'endpoint'
  | 'counted'
  | 'outside'
  | 'state'
  | 'offset'
  | 'place'
  | 'peer';

/** A put to the next rank that breaks a rule. */
const broken = (RULE: FabricRule): BugKernel =>
  kernel(
    { name: `fabricRule_${RULE}`, use: { ...use, RULE }, params },
    ({ cft, RULE, coopThread, sharedArray, u32, u64 }, { comm, inbox }) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 8);
      const fabric = cft.session(coopThread(), smem); // the session
      if (RULE === 'state') {
        const other = cft.session(coopThread(), smem); // the other session
        other.flush(coopThread());
      }
      for (let i = 0; i < 8; i++) part.store(i, u32(i));
      cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
      const team = cft.team(comm);
      const next = RULE === 'peer' ? team.nRanks : (team.rank + 1) % team.nRanks;
      const le = cft.leInfo(inbox, RULE === 'outside' ? 16 : RULE === 'offset' ? 8 : 0, next, team, comm); // the endpoint
      const to = RULE === 'place' ? u64(0) : le.leOffset;
      if (RULE === 'endpoint') fabric.putMultimem(coopThread(), le.leId, to, part, 32); // the put
      else if (RULE === 'counted') {
        fabric.putCounted(coopThread(), le.leId, to, to, part, 32); // the put
      } else fabric.put(coopThread(), le.leId, to, part, 32); // the put
      if (RULE !== 'submit') fabric.submit(coopThread());
      if (RULE !== 'flush') fabric.flush(coopThread());
    },
  );

export const fabricRules: BugClass = {
  id: 'F6',
  title: 'a fabric operation is still pending at the end, or has the wrong endpoint',
  programs: [
    ...(['submit', 'flush'] as const).map((rule) =>
      bugProgram({
        name: `F6/no-${rule}`,
        requirements,
        launches: [{ kernel: broken(rule) }],
        expects: { kind: 'misuse', lines: [''] },
      }),
    ),
    ...(['endpoint', 'counted', 'offset', 'place'] as const).map((rule) =>
      bugProgram({
        name: `F6/wrong-${rule}`,
        requirements,
        launches: [{ kernel: broken(rule) }],
        expects: { kind: 'misuse', lines: ['// the put'] },
      }),
    ),
    bugProgram({
      name: 'F6/two-sessions',
      requirements,
      launches: [{ kernel: broken('state') }],
      expects: { kind: 'misuse', lines: ['// the other session'] },
    }),
    bugProgram({
      name: 'F6/no-such-peer',
      requirements,
      launches: [{ kernel: broken('peer') }],
      expects: { kind: 'misuse', lines: ['// the endpoint'] },
    }),
    bugProgram({
      name: 'F6/past-the-end',
      requirements,
      launches: [{ kernel: broken('outside') }],
      expects: { kind: 'out-of-bounds', lines: ['// the put'] },
    }),
    bugProgram({ name: 'F6/none', requirements, launches: [{ kernel: broken('none') }], expects: 'clean' }),
  ],
};

/**
 * Two groups, which are warps or threads, put their parts. The whole CTA flushes, with or without
 * synchronizing before. For the right program threads are enough, and take much less time.
 */
const together = (MEETS: boolean, AGAIN: boolean, WARPS: boolean): BugKernel => {
  const [LANES, WORDS] = WARPS ? [32, 1] : [1, 4];
  const BYTES = LANES * WORDS * 4;
  return kernel(
    {
      name: `flushTogether_${MEETS}_${AGAIN}_${WARPS}`,
      use: { ...use, MEETS, AGAIN, WARPS, LANES, WORDS, BYTES },
      params,
    },
    (
      {
        cft,
        MEETS,
        AGAIN,
        WARPS,
        LANES,
        WORDS,
        BYTES,
        waitUntil,
        coopCta,
        coopWarp,
        coopThread,
        sharedArray,
        threadIdx,
        u32,
        u64,
      },
      { comm, inbox },
    ) => {
      const smem = sharedArray(u64, 2);
      const part = sharedArray(u32, 64);
      const t = threadIdx.x;
      const fabric = cft.session(coopCta(), smem);
      const submitted = sharedArray(u32, 1);
      if (t === 0) submitted.store(0, 0);
      coopCta().sync();
      for (let i = 0; i < WORDS; i++) part.store(t * WORDS + i, u32(comm.rank));
      const team = cft.team(comm);
      const group = t / LANES;
      const le = cft.leInfo(inbox, group * BYTES, (team.rank + 1) % team.nRanks, team, comm);
      const from = part.offset(group * LANES * WORDS);
      if (WARPS) {
        cft.memFence(coopWarp(), 'release', 'generic', 'fabric', 'block');
        fabric.put(coopWarp(), le.leId, le.leOffset, from, BYTES);
        fabric.submit(coopWarp());
      } else {
        cft.memFence(coopThread(), 'release', 'generic', 'fabric', 'block');
        fabric.put(coopThread(), le.leId, le.leOffset, from, BYTES);
        fabric.submit(coopThread());
      }
      if (MEETS) coopCta().sync();
      if (AGAIN) {
        // The first group flushes later, and is not ordered after the second one.
        if (t === LANES) submitted.store(0, 1, 'relaxed', 'block');
        if (t === 0) waitUntil(() => submitted.load(0, 'relaxed', 'block') === 1);
      }
      fabric.flush(coopCta());
      if (AGAIN) {
        coopCta().sync();
        fabric.flush(coopCta());
      }
      part.store(t * WORDS, 7); // again
    },
  );
};

export const fabricGroups: BugClass = {
  id: 'F7',
  title: 'a group flushes operations of other groups without having synchronized with them since',
  programs: [
    bugProgram({
      name: 'F7/no-meeting',
      ranks: 1,
      words: 64,
      requirements,
      launches: [{ kernel: together(false, false, true), block: 64 }],
      expects: {
        kind: 'race',
        lines: ['// again', 'fabric.put('],
        anyOrder: true,
        may: [{ kind: 'misuse', lines: [''] }],
      },
    }),
    bugProgram({
      name: 'F7/meeting',
      ranks: 1,
      words: 64,
      requirements,
      launches: [{ kernel: together(true, false, false), block: 2 }],
      expects: 'clean',
    }),
    bugProgram({
      name: 'F7/meeting-before-the-second-flush',
      ranks: 1,
      words: 64,
      requirements,
      launches: [{ kernel: together(false, true, false), block: 2 }],
      expects: 'clean',
    }),
  ],
};
