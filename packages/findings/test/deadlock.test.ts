import { NcclError } from '@nccl-ts/core';
import { planDevComm } from '@nccl-ts/devcomm';
import {
  buildDeadlock,
  DeadlockError,
  describeWord,
  renderDeadlock,
  type DeadlockInput,
  type DeadlockReport,
  type ParkedCta,
  type RankOutcome,
  type Waiting,
} from '@nccl-ts/findings';
import { createTopology } from '@nccl-ts/topology';
import { resourceOffset } from '@nccl-ts/window';
import { describe, expect, it } from 'vitest';

import { meets, sync } from './kernel.ts';

const RANKS = 8;
/** Two teams. */
const LSA_SIZE = 4;
const plan = planDevComm(
  { lsaBarrierCount: 2, barrierCount: 1, ginConnectionType: 'full' },
  createTopology({ ranks: RANKS, lsaSize: LSA_SIZE }),
  { symmetric: true, multimem: false, gin: 'full' },
);

const resources = { name: 'the resource window of device communicator 0', bytes: plan.resourceBytes };
const plain = { name: 'window 2', bytes: 4096 };

const never: RankOutcome = { host: 'done', last: undefined };
const waits: RankOutcome = { host: 'waiting', last: undefined };

/**
 * Region 0 is unmapped. Region 1 + rank is a rank's resource window, and region 101 + rank is its
 * copy of another window.
 */
const resourcesOf = (rank: number): number => 1 + rank;
const plainOf = (rank: number): number => 101 + rank;

function input(parts: Partial<DeadlockInput>): DeadlockInput {
  return {
    parked: [],
    unstarted: [],
    queued: [],
    ranks: Array.from({ length: RANKS }, () => waits),
    lsaTeam: (rank) => Math.floor(rank / LSA_SIZE),
    describe: (word) =>
      describeWord(word, ({ address, region }) => {
        if (region === 0) return undefined;
        return region < 100
          ? { window: resources, rank: region - 1, offset: address, plan }
          : { window: plain, rank: region - 101, offset: address };
      }),
    ...parts,
  };
}

function parked(rank: number, cta: number, waiting: () => readonly Waiting[]): ParkedCta {
  return { kernel: meets, launch: rank, rank, cta, sites: [sync], waiting };
}

/** A CTA at an LSA barrier where a peer of its team has not arrived. */
function atBarrier(rank: number, barrier: number, peer: number, set = plan.lsaBarrier): ParkedCta {
  const inbox = resourceOffset(set.bufHandle) + 4 * (3 * set.nBarriers + barrier * LSA_SIZE + peer);
  return parked(rank, barrier, () => [
    {
      site: 0,
      kind: 'waitAll',
      threads: [0, 1, 2, 3],
      indices: [peer],
      words: [{ address: inbox, region: resourcesOf(rank), space: 'global', type: 'u32', value: 0 }],
      needed: '1 (rolling, 32 bits)',
    },
  ]);
}

/** A CTA with one thread that waits for a word. */
function atWord(rank: number, space: 'global' | 'shared' | 'local', address: number, region: number): ParkedCta {
  const words = [{ address, region, space, type: 'i64', value: 7n }];
  return parked(rank, 0, () => [{ site: -1, kind: 'wait', threads: [5], words, needed: '>= 8' }]);
}

describe('a deadlock at a barrier', () => {
  const report = buildDeadlock(
    input({
      parked: [2, 1, 0].flatMap((rank) => [atBarrier(rank, 1, 3), atBarrier(rank, 0, 3)]),
      ranks: [waits, waits, waits, never],
    }),
  );

  it('names the missing rank', () => {
    expect(renderDeadlock(report)).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
       --> kernel meets (captured text):3:3
        |
      3 |   bar.sync(coopCta(), 'acquire');
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets: ranks 0-2, CTAs 0-1, threads 0-3, waiting
        |
        = note: LSA barriers 0-1, inbox of LSA peer 3 (rank 3): waits for 1 (rolling, 32 bits), is 0 (u32)
        = note: not yet: 3
        |
        = missing: rank 3: no kernel launched; host program done; awaited by ranks 0-2"
    `);
    expect(report.missing).toEqual([{ rank: 3, reason: 'neverLaunched', host: 'done', awaitedBy: [0, 1, 2] }]);
  });

  it('lists waits by rank, launch and CTA, with source locations and words', () => {
    expect(report.waiting.map(({ rank, cta }) => [rank, cta])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ]);
    expect(report.waiting[1]).toMatchObject({
      kernel: 'meets',
      launch: 0,
      threads: [0, 1, 2, 3],
      kind: 'waitAll',
      indices: [3],
      place: { source: 'meets', line: 3, column: 3 },
      words: [{ place: { kind: 'lsaInbox', barriers: 'lsaBarrier', index: 1, peer: 3, peerRank: 3, rank: 0 } }],
    });
  });
});

describe('a deadlock', () => {
  it('states why each missing rank is missing', () => {
    const failure = new NcclError('NCCLTS_FAULT', 'assertion failed: no\nin kernel breaks');
    const report = buildDeadlock(
      input({
        parked: [atBarrier(0, 0, 1), atBarrier(1, 1, 0)],
        ranks: [
          waits,
          waits,
          { host: 'done', last: { kernel: 'once' } },
          { host: 'running', last: { kernel: 'breaks', failure } },
        ],
      }),
    );
    expect(renderDeadlock(report)).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
       --> kernel meets (captured text):3:3
        |
      3 |   bar.sync(coopCta(), 'acquire');
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets: rank 0, CTA 0, threads 0-3, waiting
        |
        = note: LSA barrier 0, inbox of LSA peer 1 (rank 1): waits for 1 (rolling, 32 bits), is 0 (u32)
        = note: not yet: 1
        = note: kernel meets: rank 1, CTA 1, threads 0-3, waiting
        = note: LSA barrier 1, inbox of LSA peer 0 (rank 0): waits for 1 (rolling, 32 bits), is 0 (u32)
        |
        = missing: rank 0: waiting elsewhere, in kernel meets; host program waiting; awaited by rank 1
        = missing: rank 1: waiting elsewhere, in kernel meets; host program waiting; awaited by rank 0
        = missing: rank 2: no kernel running, the last one (once) has ended; host program done
        = missing: rank 3: no kernel running, the last one (breaks) has failed: assertion failed: no; host program running"
    `);
    const error = new DeadlockError(report, ['a line']);
    expect(error).toMatchObject({ code: 'NCCLTS_DEADLOCK', cause: failure, report, printed: ['a line'] });
    expect(error.message).toBe(renderDeadlock(report));
    expect(error.details['missing']).toEqual(report.missing);
  });

  it('ignores teams in which no thread waits', () => {
    const { missing } = buildDeadlock(input({ parked: [1, 2, 3].map((rank) => atWord(rank, 'shared', 0, 0)) }));
    expect(missing).toEqual([{ rank: 0, reason: 'neverLaunched', host: 'waiting', awaitedBy: [] }]);
  });

  it('recognises the barriers of every team, and the parts of hybrid barriers', () => {
    const report = buildDeadlock(input({ parked: [atBarrier(5, 1, 3), atBarrier(7, 0, 2, plan.hybridLsaBarrier)] }));
    expect(report.waiting.flatMap(({ words }) => words.map(({ place }) => place))).toMatchObject([
      { kind: 'lsaInbox', barriers: 'lsaBarrier', index: 1, peer: 3, peerRank: 7, rank: 5 },
      { kind: 'lsaInbox', barriers: 'hybridLsaBarrier', index: 0, peer: 2, peerRank: 6, rank: 7 },
    ]);
    expect(report.missing.map(({ rank, reason }) => [rank, reason])).toEqual([
      [4, 'neverLaunched'],
      [6, 'neverLaunched'],
      [7, 'elsewhere'],
    ]);
    expect(renderDeadlock(report)).toContain(
      '  = note: hybrid LSA barrier 0, inbox of LSA peer 2 (rank 6): waits for 1 (rolling, 32 bits), is 0 (u32)',
    );
  });

  it('separates waits that differ in their threads', () => {
    const held = (cta: number, threads: readonly number[]): ParkedCta =>
      parked(0, cta, () => [{ site: 0, kind: 'collective', threads, words: [], needed: 'the other threads' }]);
    const text = renderDeadlock(buildDeadlock(input({ parked: [held(0, [0, 1]), held(1, [0, 1]), held(2, [1])] })));
    expect(text.match(/kernel meets: .*/g)).toEqual([
      'kernel meets: rank 0, CTAs 0-1, threads 0-1, blocked in a collective',
      'kernel meets: rank 0, CTA 2, thread 1, blocked in a collective',
    ]);
  });

  it('names the memory of a word', () => {
    const report = buildDeadlock(
      input({
        parked: [
          atWord(0, 'global', 16, plainOf(3)),
          atWord(1, 'global', 20, plainOf(3)),
          atWord(1, 'global', 0, resourcesOf(1)),
          atWord(2, 'shared', 8, 0),
          atWord(2, 'local', 12, 0),
          atWord(3, 'global', 24, 0),
        ],
      }),
    );
    expect(renderDeadlock(report)).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
        = note: kernel meets: ranks 0-1, CTA 0, thread 5, waiting
        = note: window 2, bytes 16, 20 of rank 3's copy: waits for >= 8, is 7 (i64)
        = note: kernel meets: rank 1, CTA 0, thread 5, waiting
        = note: the resource window of device communicator 0, byte 0 of rank 1's copy: waits for >= 8, is 7 (i64)
        = note: kernel meets: rank 2, CTA 0, thread 5, waiting
        = note: a shared array, byte 8: waits for >= 8, is 7 (i64)
        = note: kernel meets: rank 2, CTA 0, thread 5, waiting
        = note: a local array, byte 12: waits for >= 8, is 7 (i64)
        = note: kernel meets: rank 3, CTA 0, thread 5, waiting
        = note: memory that is no longer in any window: waits for >= 8, is 7 (i64)"
    `);
    expect(report.missing).toEqual([]);
  });

  it('names launches without room, and the launches after them, by rank', () => {
    const launch = { kernel: 'wide', launch: 0 };
    const report = buildDeadlock(
      input({
        parked: [0, 1, 2, 3].map((rank) => atWord(rank, 'shared', 0, 0)),
        unstarted: [
          { ...launch, rank: 1, ctas: 3, grid: 5, residentCtas: 2 },
          { ...launch, rank: 0, ctas: 1, grid: 3, residentCtas: 2 },
        ],
        queued: [3, 0, 1].map((rank) => ({ ...launch, rank })),
      }),
    );
    expect(report.queued.map(({ rank }) => rank)).toEqual([0, 1, 3]);
    expect(renderDeadlock(report)).toMatchInlineSnapshot(`
      "deadlock: no kernel can go on, and every host program waits or is done
        = note: kernel meets: ranks 0-3, CTA 0, thread 5, waiting
        = note: a shared array, byte 0: waits for >= 8, is 7 (i64)
        = note: kernel wide: rank 0, 1 of 3 CTAs have not started, because the device holds only 2 at once
        = note: kernel wide: rank 1, 3 of 5 CTAs have not started, because the device holds only 2 at once
        = help: a CTA that has not started can come to no barrier and write no flag: launch no more CTAs than the device holds, and cooperatively, which checks that
        = note: 3 launches wait behind them on the streams of ranks 0-1, 3"
    `);
  });

  it('shows the call in the kernel if the wait is in a device function', () => {
    const inlined = { what: 'wait', span: { source: 1, start: 4, end: 11, inlinedAt: sync.span } };
    const report = buildDeadlock(input({ parked: [{ ...atBarrier(0, 0, 3), sites: [inlined] }] }));
    expect(renderDeadlock(report).split('\n').slice(2, 9).join('\n')).toMatchInlineSnapshot(`
      "  |
      3 |   bar.sync(coopCta(), 'acquire');
        |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ kernel meets: rank 0, CTA 0, threads 0-3, waiting
        |
        = note: LSA barrier 0, inbox of LSA peer 3 (rank 3): waits for 1 (rolling, 32 bits), is 0 (u32)
        = note: not yet: 3
        = note: 3:3 leads to library:2:2"
    `);
  });

  it('says nothing of device functions in installed packages', () => {
    const [own, library] = meets.sources;
    if (own === undefined || library === undefined) throw new Error('The kernel has two texts.');
    const inlined = { what: 'wait', span: { source: 1, start: 4, end: 11, inlinedAt: sync.span } };
    const rendered = (file: string): string => {
      const locate = (at: number): { file: string; line: number; column: number } => ({ file, line: 7, column: at });
      const kernel = { ...meets, sources: [own, { ...library, locate }] };
      return renderDeadlock(buildDeadlock(input({ parked: [{ ...atBarrier(0, 0, 3), kernel, sites: [inlined] }] })));
    };
    expect(rendered('/app/halo.ts')).toContain('3:3 leads to /app/halo.ts:7:4');
    expect(rendered('/app/node_modules/@nccl-ts/lsa/dist/index.js')).not.toContain('leads to');
  });

  it('omits the reasons of a CTA if it cannot report them', () => {
    const mute = parked(0, 0, () => {
      throw new RangeError('no such state');
    });
    const report = buildDeadlock(input({ parked: [mute, ...[1, 2, 3].map((rank) => atWord(rank, 'shared', 0, 0))] }));
    expect(report.waiting[0]).toMatchObject({ threads: [], words: [], needed: 'unknown: no such state' });
  });

  it('prints a limited number of locations and names the ranks of the rest', () => {
    const needs = (rank: number): ParkedCta =>
      parked(rank, 0, () => [{ site: 0, kind: 'sync', threads: [0], words: [], needed: `thread ${rank}` }]);
    const ranks = Array.from({ length: 20 }, () => waits);
    const report: DeadlockReport = buildDeadlock(input({ ranks, parked: ranks.map((_, rank) => needs(rank)) }));
    const text = renderDeadlock(report);
    expect(text.match(/blocked in a sync/g)).toHaveLength(16);
    expect(text.split('\n').at(-1)).toBe('  = note: 4 more groups of threads wait, of ranks 16-19');
  });
});
