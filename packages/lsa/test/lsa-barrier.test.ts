import { devComm, lsaBarrierHandle, team } from '@nccl-ts/devcomm';
import { walkBody, type Specialisation } from '@nccl-ts/ir';
import { kernel, u32, u64, type Kernel } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { createTeam, type Team } from '@nccl-ts/topology';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { trace, type Event, type Place } from './support/trace.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The unit of a resource handle, in words. */
const UNIT = 128 / 4;

/** A barrier as the host planned it, and the thread that runs. */
interface Setting {
  readonly team: Team;
  /** The LSA rank of the caller. */
  readonly lsaRank: number;
  readonly lsaSize: number;
  readonly bufHandle: number;
  readonly nBarriers: number;
  readonly index: number;
  /** The saved epoch. */
  readonly epoch: number;
  readonly thread: number;
  readonly threads: number;
}

const settings: fc.Arbitrary<Setting> = fc
  .record({
    lsaSize: fc.integer({ min: 1, max: 8 }),
    at: fc.nat(),
    bufHandle: fc.integer({ min: 0, max: 1000 }),
    nBarriers: fc.integer({ min: 1, max: 20 }),
    pick: fc.nat(),
    epoch: fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(0xffffffff, 0xfffffffe, 0x7fffffff)),
    thread: fc.nat(),
    threads: fc.constantFrom(32, 64, 256),
    half: fc.boolean(),
  })
  .map(({ lsaSize, at, bufHandle, nBarriers, pick, epoch, thread, threads, half }) => {
    const lsaRank = at % lsaSize;
    // The whole LSA team, or every second rank of it.
    const everySecond = half && lsaSize % 2 === 0;
    const of = everySecond ? createTeam(lsaSize / 2, Math.trunc(lsaRank / 2), 2) : createTeam(lsaSize, lsaRank, 1);
    return {
      team: of,
      lsaRank,
      lsaSize,
      bufHandle,
      nBarriers,
      index: pick % nBarriers,
      epoch,
      thread: thread % threads,
      threads,
    };
  });

/** The layout of the LSA barrier, in words from the start of the barrier's buffer. */
const layout = {
  savedMultimem: (n: number, index: number) => 0 * n + index,
  saved: (n: number, index: number) => n + index,
  arrivals: (n: number, index: number) => 2 * n + index,
  inbox: (n: number, index: number, ranks: number, peer: number) => 3 * n + index * ranks + peer,
};

function known(of: Pick<Kernel, 'compile'>, setting: Setting): Specialisation {
  const { team: t, lsaRank, lsaSize, bufHandle, nBarriers, index, thread, threads } = setting;
  const scalars: Readonly<Record<string, number | bigint>> = {
    't.nRanks': t.nRanks,
    't.rank': t.rank,
    't.stride': t.stride,
    'handle.bufHandle': bufHandle,
    'handle.nBarriers': nBarriers,
    index,
    timeout: 100n,
  };
  const fields: Readonly<Record<string, number>> = {
    lsaRank,
    lsaSize,
    'resourceWindow.lsaRank': lsaRank,
    'lsaBarrier.bufHandle': bufHandle,
    'lsaBarrier.nBarriers': nBarriers,
  };
  const { params } = of.compile();
  return {
    params: (param) => scalars[params[param]?.name ?? ''],
    fields: (_param, field) => fields[field],
    builtins: {
      'threadIdx.x': thread,
      'threadIdx.y': 0,
      'threadIdx.z': 0,
      'blockDim.x': threads,
      'blockDim.y': 1,
      'blockDim.z': 1,
    },
  };
}

/** The events of one thread, if every peer has posted the epoch that it waits for. */
function events(of: Pick<Kernel, 'compile'>, setting: Setting): readonly Event[] {
  const { bufHandle, nBarriers: n, index, epoch } = setting;
  const memory = ({ word }: Place): number =>
    word === bufHandle * UNIT + layout.saved(n, index) ? epoch : (epoch + 1) >>> 0;
  return trace(of.compile(), { known: known(of, setting), memory });
}

/** The values of all stores. */
function stored(all: readonly Event[]): readonly unknown[] {
  return all.flatMap((event) => (event.do === 'store' ? [event.value] : []));
}

/** The event, with words counted from the start of the barrier's buffer. */
function relative(event: Event, { bufHandle }: Setting): Event {
  if (event.do !== 'load' && event.do !== 'store') return event;
  return { ...event, at: { peer: event.at.peer, word: event.at.word - bufHandle * UNIT } };
}

/**
 * The other members of the team, in the order in which this rank visits them, with their LSA ranks.
 */
function others({ team: t, lsaRank }: Setting): readonly { readonly member: number; readonly lsaRank: number }[] {
  return Array.from({ length: t.nRanks - 1 }, (_, i) => {
    const member = (t.rank + 1 + i) % t.nRanks;
    return { member, lsaRank: lsaRank + (member - t.rank) * t.stride };
  });
}

const runs = { seed: 20_261_120, numRuns: 150 };

/** A barrier over the author's own team and handle. */
const own = kernel(
  { name: 'own', use: { lsa }, params: { comm: devComm, t: team, handle: lsaBarrierHandle, index: u32 } },
  ({ lsa, coopCta }, { comm, t, handle, index }) => {
    const bar = lsa.barrierSession(coopCta(), comm, index, { team: t, handle });
    bar.sync(coopCta(), 'acq_rel');
  },
);

describe('the LSA barrier', () => {
  it("has the same accesses as NCCL's, word for word", () => {
    fc.assert(
      fc.property(settings, (setting) => {
        const { team: t, lsaRank, nBarriers: n, index, epoch, thread, threads } = setting;
        const next = (epoch + 1) >>> 0;
        const mine = others(setting).filter((_, i) => i % threads === thread);
        const sync: Event = { do: 'sync', coop: 'cta' };
        const expected: readonly Event[] = [
          { do: 'load', at: { peer: lsaRank, word: layout.saved(n, index) }, value: epoch, access: 'plain' },
          sync,
          ...(t.nRanks > 1 ? [{ do: 'fence', access: 'release.system' } as const] : []),
          ...mine.map(({ lsaRank: peer }): Event => ({
            do: 'store',
            at: { peer, word: layout.inbox(n, index, t.nRanks, t.rank) },
            value: next,
            access: 'relaxed.system',
          })),
          // The group divides the indices among its threads, and the interpreter visits all of
          // them.
          ...others(setting).map(({ member }): Event => ({
            do: 'load',
            at: { peer: lsaRank, word: layout.inbox(n, index, t.nRanks, member) },
            value: next,
            access: 'acquire.system',
          })),
          sync,
          ...(thread === 0
            ? [
                {
                  do: 'store',
                  at: { peer: lsaRank, word: layout.saved(n, index) },
                  value: next,
                  access: 'plain',
                } as const,
              ]
            : []),
          sync,
        ];
        expect(events(own, setting).map((event) => relative(event, setting))).toEqual(expected);
      }),
      runs,
    );
  });

  it.for(slow)("uses the LSA team and the communicator's state by default", () => {
    const plain = kernel(
      { name: 'plain', use: { lsa }, params: { comm: devComm, index: u32 } },
      ({ lsa, coopCta }, { comm, index }) => {
        lsa.barrierSession(coopCta(), comm, index).sync(coopCta(), 'acq_rel');
      },
    );
    fc.assert(
      fc.property(settings, (any) => {
        const setting = { ...any, team: createTeam(any.lsaSize, any.lsaRank, 1) };
        expect(events(plain, setting)).toEqual(events(own, setting));
      }),
      runs,
    );
  });

  it.for(slow)("stays within its requirement's bytes, separate from other barriers", () => {
    fc.assert(
      fc.property(settings, (setting) => {
        const { nBarriers: n, team: t, index } = setting;
        const words = events(own, setting).flatMap((event) => {
          const { do: what } = event;
          return what === 'load' || what === 'store' ? [(relative(event, setting) as { at: Place }).at.word] : [];
        });
        for (const word of words) {
          expect(word).toBeGreaterThanOrEqual(n);
          expect(word).toBeLessThan(3 * n + n * t.nRanks);
          if (word >= 3 * n) expect(Math.trunc((word - 3 * n) / t.nRanks)).toBe(index);
          else expect(word).toBe(n + index);
        }
        // No state of the multimem mode is accessed.
        expect(words).not.toContain(layout.savedMultimem(n, index));
        expect(words).not.toContain(layout.arrivals(n, index));
      }),
      runs,
    );
  });

  it('gives the arrival the release half of the order, and the wait the acquire half', () => {
    const orders = ['relaxed', 'acquire', 'release', 'acq_rel', 'seq_cst'] as const;
    const setting: Setting = {
      team: createTeam(2, 0, 1),
      lsaRank: 0,
      lsaSize: 2,
      bufHandle: 3,
      nBarriers: 4,
      index: 1,
      epoch: 7,
      thread: 0,
      threads: 32,
    };
    const halves = orders.map((order) => {
      const of = kernel(
        { name: 'k', use: { lsa, ORDER: order }, params: { comm: devComm, index: u32 } },
        ({ lsa, coopWarp, ORDER }, { comm, index }) => {
          const bar = lsa.barrierSession(coopWarp(), comm, index);
          bar.arrive(coopWarp(), ORDER);
          bar.wait(coopWarp(), ORDER);
        },
      );
      const all = events(of, setting);
      const fence = all.find((event) => event.do === 'fence');
      const [wait] = all.flatMap((event) => (event.do === 'load' ? [event] : [])).slice(-1);
      return [order, fence?.access, wait?.access];
    });
    expect(halves).toEqual([
      // A relaxed fence has no effect.
      ['relaxed', undefined, 'relaxed.system'],
      ['acquire', undefined, 'acquire.system'],
      ['release', 'release.system', 'relaxed.system'],
      ['acq_rel', 'release.system', 'acquire.system'],
      ['seq_cst', 'seq_cst.system', 'seq_cst.system'],
    ]);
  });

  it('counts its epochs through several barriers, and wraps around', () => {
    const three = kernel(
      { name: 'three', use: { lsa }, params: { comm: devComm, index: u32 } },
      ({ lsa, coopCta }, { comm, index }) => {
        const bar = lsa.barrierSession(coopCta(), comm, index);
        bar.sync(coopCta(), 'acq_rel');
        bar.sync(coopCta(), 'acq_rel');
        bar.sync(coopCta(), 'acq_rel');
      },
    );
    const setting: Setting = {
      team: createTeam(1, 0, 1),
      lsaRank: 0,
      lsaSize: 1,
      bufHandle: 0,
      nBarriers: 1,
      index: 0,
      epoch: 0xfffffffe,
      thread: 0,
      threads: 32,
    };
    expect(events(three, setting).at(-2)).toEqual({ do: 'store', at: { peer: 0, word: 1 }, value: 1, access: 'plain' });
  });

  it('counts a peer that is one epoch ahead as arrived, and one that is behind as missing', () => {
    const setting: Setting = {
      team: createTeam(2, 0, 1),
      lsaRank: 0,
      lsaSize: 2,
      bufHandle: 0,
      nBarriers: 1,
      index: 0,
      epoch: 5,
      thread: 0,
      threads: 32,
    };
    const posted = (value: number) => () =>
      trace(own.compile(), { known: known(own, setting), memory: ({ word }) => (word === 1 ? 5 : value) });
    expect(posted(6)).not.toThrow();
    expect(posted(7)).not.toThrow();
    expect(posted(5)).toThrow('index 0 would wait');
    expect(posted(0)).toThrow('index 0 would wait');
  });

  it('with a time limit synchronizes first, and returns the outcome', () => {
    const timed = kernel(
      { name: 'timed', use: { lsa }, params: { comm: devComm, index: u32, timeout: u64 } },
      ({ lsa, coopCta, u32 }, { comm, index, timeout }) => {
        const result = lsa.barrierSession(coopCta(), comm, index).wait(coopCta(), 'acquire', timeout);
        lsa.localPointer(comm.resourceWindow, u32, 4096)[0] = u32(result);
      },
    );
    const setting: Setting = {
      team: createTeam(2, 0, 1),
      lsaRank: 0,
      lsaSize: 2,
      bufHandle: 0,
      nBarriers: 1,
      index: 0,
      epoch: 5,
      thread: 0,
      threads: 32,
    };
    const run = (posted: number): readonly Event[] =>
      trace(timed.compile(), { known: known(timed, setting), memory: ({ word }) => (word === 1 ? 5 : posted) });
    const arrived = run(6);
    expect(arrived.slice(0, 2).map((event) => event.do)).toEqual(['load', 'sync']);
    // 0 and the next epoch, or `ncclTimeout` (8) and the old epoch.
    expect(stored(arrived)).toEqual([6, 0]);
    expect(stored(run(5))).toEqual([5, 8]);
  });

  it('in multimem mode adds once for all ranks, and keeps separate state', () => {
    const of = kernel({ name: 'k', use: { lsa }, params: { comm: devComm } }, ({ lsa, coopCta }, { comm }) => {
      lsa.barrierSession(coopCta(), comm, 0, { multimem: true }).sync(coopCta(), 'acq_rel');
    });
    const adds: unknown[] = [];
    const waits: string[] = [];
    walkBody(of.compile().body, {
      statement: (s) => {
        if (s.kind === 'call' && s.name === 'multicastAdd') adds.push(s.statics);
        if (s.kind === 'waitAll') waits.push(s.kind);
        if (s.kind === 'store') adds.push(s.access);
      },
    });
    // For any number of ranks: one addition with the release half, one wait, and the destructor's
    // store of the epoch.
    expect(adds).toEqual([[{ kind: 'word', name: 'order', word: 'release' }], undefined]);
    expect(waits).toEqual(['waitAll']);
  });
});
