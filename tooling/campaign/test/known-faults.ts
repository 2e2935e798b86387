import type { CampaignProgram, Statement } from '../src/program.ts';

/** A program on which engines once disagreed, with the rule that it broke. */
export interface KnownFault {
  readonly name: string;
  readonly rule: string;
  readonly program: CampaignProgram;
}

const small = { ranks: 2, lsaSize: 2, grid: 1, block: 1, words: 2, readsWords: false } as const;
const launch = { kind: 'launch', kernel: 0, stream: 0 } as const;
const system = (
  order: 'relaxed' | 'acquire' | 'release' | 'seq_cst',
): { readonly order: typeof order; readonly scope: 'system' } => ({
  order,
  scope: 'system',
});
const word = (
  home: number | 'own',
  at: number,
): { readonly home: number | 'own'; readonly word: number; readonly bytes: 4 } => ({
  home,
  word: at,
  bytes: 4,
});
const thread = (
  rank: number,
  cta: number,
  ...body: readonly Statement[]
): {
  readonly kind: 'thread';
  readonly rank: number;
  readonly cta: number;
  readonly thread: 0;
  readonly body: readonly Statement[];
} => ({
  kind: 'thread',
  rank,
  cta,
  thread: 0,
  body,
});
const fence: Statement = { kind: 'fence', ordering: system('seq_cst') };
const barrier = { kind: 'barrier', order: 'acq_rel' } as const;
const load = (home: number | 'own', at: number, keep = false): Statement => ({
  kind: 'load',
  at: word(home, at),
  keep,
});
const store = (home: number | 'own', at: number, value = 1): Statement => ({
  kind: 'store',
  at: word(home, at),
  value,
});
const put = (peer: number, to: number, from: number): Statement => ({
  kind: 'put',
  context: 0,
  peer,
  to,
  from,
  counter: false,
});

export const knownFaults: readonly KnownFault[] = [
  {
    name: 'a race between two barriers, where one rank passes the first barrier late',
    rule: 'default-misses-all-schedules',
    program: {
      ...small,
      kernels: [{ parts: [barrier, thread(0, 0, load(1, 0)), thread(1, 0, store(1, 0)), barrier] }],
      steps: [launch],
    },
  },
  {
    name: 'two ranks that store to one word between two barriers',
    rule: 'default-misses-all-schedules',
    program: {
      ...small,
      kernels: [{ parts: [barrier, thread(0, 0, store(1, 0, 1)), thread(1, 0, store(1, 0, 2)), barrier] }],
      steps: [launch],
    },
  },
  {
    name: 'a store behind a sequential fence beside a store before one',
    rule: 'clean-beside-an-error',
    program: {
      ...small,
      ranks: 1,
      lsaSize: 1,
      grid: 2,
      kernels: [{ parts: [thread(0, 1, fence, store('own', 0, 3)), thread(0, 0, store('own', 0, 1), fence)] }],
      steps: [launch],
    },
  },
  {
    name: 'a store behind a sequential store beside a store before a sequential load',
    rule: 'clean-beside-an-error',
    program: {
      ...small,
      ranks: 1,
      lsaSize: 1,
      grid: 2,
      words: 3,
      kernels: [
        {
          parts: [
            thread(
              0,
              1,
              { kind: 'store', at: word('own', 0), value: 2, ordering: system('seq_cst') },
              store('own', 1, 3),
            ),
            thread(
              0,
              0,
              { kind: 'store', at: word('own', 1), value: 1, ordering: system('relaxed') },
              { kind: 'load', at: word('own', 2), keep: false, ordering: system('seq_cst') },
            ),
          ],
        },
      ],
      steps: [launch],
    },
  },
  {
    name: 'a value that is stale only where two sequential fences come in one order, beside a host that synchronises',
    rule: 'oracle-outcomes-differ',
    program: {
      ...small,
      kernels: [
        { parts: [thread(0, 0, { kind: 'store', at: word(0, 0), value: 1, ordering: system('relaxed') }, fence)] },
        { parts: [thread(0, 0, { kind: 'store', at: word(0, 1), value: 1, ordering: system('relaxed') })] },
        {
          parts: [
            thread(
              1,
              0,
              fence,
              { kind: 'wait', at: word(0, 1), until: '===', value: 1, ordering: system('relaxed') },
              { kind: 'load', at: word(0, 0), keep: true, ordering: system('relaxed') },
            ),
          ],
        },
      ],
      steps: [
        { kind: 'launch', rank: 0, kernel: 0, stream: 0 },
        { kind: 'synchronize', rank: 0, stream: 0 },
        { kind: 'launch', rank: 0, kernel: 1, stream: 0 },
        { kind: 'launch', rank: 1, kernel: 2, stream: 0 },
      ],
    },
  },
  {
    name: 'a signal that nobody waits for',
    rule: 'clean-beside-an-error',
    program: {
      ...small,
      ranks: 1,
      lsaSize: 1,
      kernels: [{ parts: [thread(0, 0, { kind: 'signal', context: 0, peer: 0, signal: 'strongSignalInc' })] }],
      steps: [launch],
    },
  },
  {
    name: "a host's write beside the kernel of a peer",
    rule: 'clean-beside-an-error',
    program: {
      ...small,
      kernels: [{ parts: [thread(1, 0, store(0, 0))] }],
      steps: [{ kind: 'write', rank: 0, word: 0, value: 3 }, launch],
    },
  },
  {
    name: 'a flush beside a put of another CTA',
    rule: 'proven-clean-beside-an-error',
    program: {
      ...small,
      lsaSize: 1,
      grid: 2,
      kernels: [{ parts: [thread(1, 0, { kind: 'flush', context: 0 }), thread(1, 1, put(0, 1, 0))] }],
      steps: [launch],
    },
  },
  {
    name: 'two compare-and-swaps of one thread',
    rule: 'proven-outcome-differs',
    program: {
      ...small,
      ranks: 1,
      lsaSize: 1,
      kernels: [
        {
          parts: [
            thread(
              0,
              0,
              {
                kind: 'atomic',
                update: 'Cas',
                at: word('own', 0),
                expected: 0,
                value: 1,
                ordering: system('relaxed'),
                keep: false,
              },
              {
                kind: 'atomic',
                update: 'Cas',
                at: word('own', 0),
                expected: 1,
                value: 1,
                ordering: system('relaxed'),
                keep: true,
              },
            ),
          ],
        },
      ],
      steps: [launch],
      readsWords: true,
    },
  },
  {
    name: 'a plain load behind a branch on a sequential load, beside a store',
    rule: 'race-not-in-graph',
    program: {
      ...small,
      block: 2,
      kernels: [
        {
          parts: [
            thread(
              0,
              0,
              {
                kind: 'load',
                at: word(0, 0),
                keep: true,
                ordering: system('seq_cst'),
                then: { equals: 0, body: [load(0, 0, true)] },
              },
              {
                kind: 'atomic',
                update: 'Cas',
                at: word(0, 0),
                expected: 0,
                value: 1,
                ordering: system('acquire'),
                keep: false,
              },
            ),
            {
              ...thread(
                1,
                0,
                { kind: 'store', at: word(0, 0), value: 1, ordering: { order: 'relaxed', scope: 'device' } },
                store(0, 1),
              ),
              thread: 1,
            },
          ],
        },
      ],
      steps: [launch],
    },
  },
  {
    name: 'a put onto its own source',
    rule: 'race-not-in-graph',
    program: {
      ...small,
      ranks: 1,
      lsaSize: 1,
      kernels: [{ parts: [thread(0, 0, put(0, 0, 0), { kind: 'flush', context: 0 })] }],
      steps: [launch],
    },
  },
  {
    name: 'a put after a barrier without order, onto what was loaded before it',
    rule: 'severer-than-graph',
    program: {
      ...small,
      kernels: [
        { parts: [thread(0, 0, load(0, 1, true)), { kind: 'barrier', order: 'relaxed' }, thread(1, 0, put(0, 1, 0))] },
      ],
      steps: [launch],
    },
  },
];
