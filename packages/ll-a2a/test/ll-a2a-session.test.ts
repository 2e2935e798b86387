import { devComm, llA2ABytes, llA2ACalcSlots, llA2AHandle, multimemHandle, team } from '@nccl-ts/devcomm';
import { walkBody } from '@nccl-ts/ir';
import { f32, i32, kernel, u32, u8, vec, type Kernel } from '@nccl-ts/kernel';
import { llA2A } from '@nccl-ts/ll-a2a';
import { createTeam, type Team } from '@nccl-ts/topology';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { EVERYBODY, trace, Waits, type Event, type Place } from './support/trace.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** A session as the host planned it, and the thread that runs. */
interface Setting {
  readonly team: Team;
  readonly lsaRank: number;
  readonly bufHandle: number;
  readonly nSlots: number;
  readonly nBlocks: number;
  readonly block: number;
  readonly maxElts: number;
  /** The word in the block's first line. */
  readonly saved: number;
  readonly elt: number;
  readonly thread: number;
  /** The receiver of `send`. @default the last member */
  readonly peer?: number;
}

/** Values of up to 16 bytes, with two slots each. */
const SLOTS = 2;

const settings: fc.Arbitrary<Setting> = fc
  .record({
    lsaSize: fc.integer({ min: 1, max: 8 }),
    at: fc.nat(),
    bufHandle: fc.integer({ min: 0, max: 1000 }),
    maxElts: fc.integer({ min: 1, max: 40 }),
    nBlocks: fc.integer({ min: 1, max: 5 }),
    pick: fc.nat(),
    saved: fc.oneof(fc.integer({ min: 0, max: 1000 }), fc.constantFrom(0xfffffffb, 0xfffffffc, 0xfffffffd)),
    thread: fc.constantFrom(0, 1, 31),
    half: fc.boolean(),
  })
  .map(({ lsaSize, at, bufHandle, maxElts, nBlocks, pick, saved, thread, half }) => {
    const lsaRank = at % lsaSize;
    // The whole LSA team, or every second rank of it.
    const everySecond = half && lsaSize % 2 === 0;
    const of = everySecond ? createTeam(lsaSize / 2, Math.trunc(lsaRank / 2), 2) : createTeam(lsaSize, lsaRank, 1);
    return {
      team: of,
      lsaRank,
      bufHandle,
      nSlots: llA2ACalcSlots(maxElts, 8 * SLOTS),
      nBlocks,
      block: pick % nBlocks,
      maxElts,
      saved,
      elt: (pick >> 4) % maxElts,
      thread,
    };
  });

const runs = { seed: 20_261_121, numRuns: inject('slow') ? 150 : 10 };

const params = { comm: devComm, t: team, handle: llA2AHandle, block: u32, maxElts: i32, elt: i32, peer: i32 };

const threads = 32;

/** The layout of NCCL's session, in bytes from the start of its buffer, and its first epoch. */
function layout({ nSlots, block, maxElts, saved }: Setting): {
  readonly line: number;
  readonly epoch: number;
  readonly slot: (epoch: number, elt: number, part: number) => number;
} {
  const first = block * (1 + 2 * nSlots);
  return {
    line: 16 * first,
    epoch: (saved + 2) >>> 0,
    slot: (epoch, elt, part) => 16 * (first + 1 + (epoch % 2) * nSlots + elt + part * maxElts),
  };
}

/** The next epoch. */
function after(epoch: number): number {
  return epoch === 0xffffffff ? 2 : epoch + 1;
}

function events(of: Pick<Kernel, 'compile'>, setting: Setting, memory?: (at: Place) => bigint): readonly Event[] {
  const { team: t, lsaRank, bufHandle, nSlots, nBlocks, block, maxElts, saved, elt, thread } = setting;
  const { line, epoch } = layout(setting);
  const scalars: Readonly<Record<string, number>> = {
    't.nRanks': t.nRanks,
    't.rank': t.rank,
    't.stride': t.stride,
    'handle.bufHandle': bufHandle,
    'handle.nSlots': nSlots,
    'handle.nBlocks': nBlocks,
    block,
    maxElts,
    elt,
    peer: setting.peer ?? t.nRanks - 1,
  };
  const module = of.compile();
  const all = trace(module, {
    known: {
      params: (param) => scalars[module.params[param]?.name ?? ''],
      fields: (_param, field) => (field === 'lsaRank' || field === 'resourceWindow.lsaRank' ? lsaRank : undefined),
      builtins: {
        'threadIdx.x': thread,
        'threadIdx.y': 0,
        'threadIdx.z': 0,
        'blockDim.x': threads,
        'blockDim.y': 1,
        'blockDim.z': 1,
      },
    },
    memory: ({ peer, byte }) => {
      const own = byte - 128 * bufHandle;
      if (own === line) return BigInt(saved);
      return (memory ?? (() => (BigInt(epoch) << 32n) | 0x11n))({ peer, byte: own });
    },
  });
  return all.map((event) =>
    'at' in event ? { ...event, at: { ...event.at, byte: event.at.byte - 128 * bufHandle } } : event,
  );
}

const word = (value: number, epoch: number): bigint => (BigInt(epoch) << 32n) | BigInt(value);
const relaxed = 'relaxed.system';

describe('an all-to-all session', () => {
  it("stores, waits and saves like NCCL's, and has fences when epochs repeat", () => {
    const of = kernel(
      { name: 'k', use: { llA2A, V: vec(u32, 4) }, params },
      ({ llA2A, V, coopCta, u32 }, { comm, t, handle, block, maxElts, elt, peer }) => {
        const session = llA2A.session(coopCta(), comm, t, handle, block, maxElts);
        session.send(peer, elt, V(1, 2, 3, 4));
        session.recv(u32, elt);
        session.endEpoch(coopCta());
      },
    );
    fc.assert(
      fc.property(settings, (setting) => {
        const { team: t, lsaRank, elt, thread, nSlots } = setting;
        const { line, epoch, slot } = layout(setting);
        const to = lsaRank + (t.nRanks - 1 - t.rank) * t.stride;
        const half = (peer: number, part: number, right: number): Place => ({
          peer,
          byte: slot(epoch, elt, part) + 8 * right,
        });
        // stays inside
        const received: readonly Event[] = [0, 1].map((right) => ({
          do: 'load',
          at: half(lsaRank, 0, right),
          value: word(0x11, epoch),
          access: relaxed,
        }));
        const clears = epoch >= 0xfffffffe;
        const acquires: readonly Event[] =
          epoch === 0xffffffff || epoch === 2 ? [{ do: 'fence', access: 'acquire.system' }] : [];
        const releases: readonly Event[] = clears ? [{ do: 'fence', access: 'release.system' }] : [];
        const cleared = Array.from({ length: clears ? 2 * nSlots : 0 }, (_, i) => i).filter(
          (i) => i % threads === thread,
        );
        const expected: readonly Event[] = [
          { do: 'load', at: { peer: lsaRank, byte: line }, value: setting.saved, access: 'plain' },
          ...[1, 2, 3, 4].map((value, i): Event => ({
            do: 'store',
            at: half(to, Math.trunc(i / 2), i % 2),
            value: word(value, epoch),
            access: relaxed,
          })),
          ...received,
          ...acquires,
          { do: 'sync' },
          ...cleared.map((i): Event => ({
            do: 'store',
            at: { peer: lsaRank, byte: slot(epoch, 0, 0) + 8 * i },
            value: 0n,
            access: relaxed,
          })),
          { do: 'sync' },
          ...releases,
          ...(thread === 0
            ? [
                {
                  do: 'store',
                  at: { peer: lsaRank, byte: line },
                  value: (after(epoch) - 2) >>> 0,
                  access: 'plain',
                } as const,
              ]
            : []),
          { do: 'sync' },
        ];
        expect(events(of, setting)).toEqual(expected);
      }),
      runs,
    );
  });

  it.for(slow)("stays within its requirement's bytes, and within its block", () => {
    const of = kernel(
      { name: 'k', use: { llA2A, V: vec(f32, 4) }, params },
      ({ llA2A, V, coopCta }, { comm, t, handle, block, maxElts, elt }) => {
        const session = llA2A.session(coopCta(), comm, t, handle, block, maxElts);
        session.bcast(elt, V(1));
        session.endEpoch(coopCta());
        session.bcast(elt, session.recv(V, elt));
      },
    );
    fc.assert(
      fc.property(settings, (setting) => {
        const { nSlots, nBlocks, block, team: t } = setting;
        const { epoch } = layout(setting);
        const all = events(of, setting, () => word(7, after(epoch)));
        const bytes = all.flatMap((event) => ('at' in event ? [event.at.byte] : []));
        const blockBytes = llA2ABytes(1, nSlots);
        expect(llA2ABytes(nBlocks, nSlots)).toBe(nBlocks * blockBytes);
        for (const byte of bytes) expect(Math.trunc(byte / blockBytes)).toBe(block);
        const peers = all.flatMap((event) => (event.do === 'store' && event.access === relaxed ? [event.at.peer] : []));
        expect(new Set(peers).size).toBe(t.nRanks);
      }),
      runs,
    );
  });

  it('waits until both halves of every slot have its epoch', () => {
    const of = kernel(
      { name: 'k', use: { llA2A, V: vec(u32, 4) }, params },
      ({ llA2A, V, coopCta }, { comm, t, handle, block, maxElts, elt }) => {
        llA2A.session(coopCta(), comm, t, handle, block, maxElts).recv(V, elt);
      },
    );
    const setting: Setting = {
      team: createTeam(2, 0, 1),
      lsaRank: 0,
      bufHandle: 3,
      nSlots: 8,
      nBlocks: 1,
      block: 0,
      maxElts: 4,
      saved: 5,
      elt: 2,
      thread: 0,
    };
    const { epoch, slot } = layout(setting);
    const halves = [0, 1].flatMap((part) => [0, 8].map((right) => slot(epoch, 2, part) + right));
    const late = (missing: number, other: number) => () =>
      events(of, setting, ({ byte }) => word(1, byte === missing ? other : epoch));
    expect(late(-1, 0)).not.toThrow();
    // The previous and next epochs, the previous epoch of the same bank, and a slot that was never
    // written.
    for (const half of halves)
      for (const other of [epoch - 1, epoch - 2, epoch + 1, 0]) expect(late(half, other)).toThrow(Waits);
  });

  it('has the preconditions of its calls', () => {
    const of = kernel(
      { name: 'k', use: { llA2A, V: vec(f32, 4) }, params },
      ({ llA2A, V, coopCta }, { comm, t, handle, block, maxElts, elt, peer }) => {
        const session = llA2A.session(coopCta(), comm, t, handle, block, maxElts);
        session.send(peer, elt, V(1));
      },
    );
    const good: Setting = {
      team: createTeam(2, 0, 1),
      lsaRank: 0,
      bufHandle: 0,
      nSlots: 8,
      nBlocks: 2,
      block: 1,
      maxElts: 4,
      saved: 0,
      elt: 3,
      thread: 0,
    };
    const changed = (change: Partial<Setting>) => () => events(of, { ...good, ...change });
    expect(changed({})).not.toThrow();
    expect(changed({ block: 2 })).toThrow(
      'block 2 of a low-latency all-to-all, but its handle has 2: llA2ACreateRequirement(3, nSlots)',
    );
    expect(changed({ elt: -1 })).toThrow('value -1 of 16 bytes at most, with maxElts 4, does not fit into the 8 slots');
    expect(changed({ nSlots: 7 })).toThrow(
      'value 3 of 16 bytes at most, with maxElts 4, does not fit into the 7 slots',
    );
    expect(changed({ nSlots: 80, elt: 4 })).toThrow('value 4 of more than 8 bytes, but maxElts of the session is 4');
    expect(changed({ peer: -1 })).toThrow('peer -1 of a low-latency all-to-all: the ranks of its team are 0 to 1');
    expect(changed({ peer: 2 })).toThrow('peer 2 of a low-latency all-to-all: the ranks of its team are 0 to 1');
  });

  it('sends the elements at a pointer as one value, and pads its last slot', () => {
    const of = kernel(
      { name: 'k', use: { llA2A, B: u8 }, params },
      ({ llA2A, B, coopCta, localArray, unroll }, { comm, t, handle, block, maxElts, elt }) => {
        const bytes = localArray(B, 11);
        for (const i of unroll(11)) bytes.store(i, B(i + 1));
        llA2A.session(coopCta(), comm, t, handle, block, maxElts).send(0, elt, bytes, 11);
      },
    );
    const setting: Setting = {
      team: createTeam(1, 0, 1),
      lsaRank: 0,
      bufHandle: 0,
      nSlots: 8,
      nBlocks: 1,
      block: 0,
      maxElts: 4,
      saved: 1,
      elt: 0,
      thread: 1,
    };
    const sent = events(of, setting).flatMap((event) => (event.do === 'store' ? [event.value] : []));
    expect(sent).toEqual([word(0x04030201, 3), word(0x08070605, 3), word(0x000b0a09, 3), word(0, 3)]);
  });

  it.for(slow)('with multimem makes the same stores through the multicast address', () => {
    const plain = kernel(
      { name: 'k', use: { llA2A, V: vec(f32, 4) }, params },
      ({ llA2A, V, coopCta }, { comm, t, handle, block, maxElts, elt }) => {
        llA2A.session(coopCta(), comm, t, handle, block, maxElts).bcast(elt, V(1));
      },
    );
    const multicast = kernel(
      { name: 'k', use: { llA2A, V: vec(f32, 4) }, params },
      ({ llA2A, V, coopCta }, { comm, t, handle, block, maxElts, elt }) => {
        llA2A.session(coopCta(), comm, t, handle, block, maxElts, { multimem: true }).bcast(elt, V(1));
      },
    );
    const stores = (of: Pick<Kernel, 'compile'>, setting: Setting) =>
      events(of, setting).flatMap((event) => (event.do === 'store' && event.access !== 'plain' ? [event] : []));
    fc.assert(
      fc.property(settings, (setting) => {
        const [first] = stores(plain, setting);
        const toOne = stores(plain, setting).filter(({ at }) => at.peer === first?.at.peer);
        const toAll = toOne.map((event) => ({ ...event, at: { ...event.at, peer: EVERYBODY }, access: 'multimem' }));
        expect(toAll).toHaveLength(2 * SLOTS);
        expect(stores(multicast, setting)).toEqual(toAll);
      }),
      runs,
    );
  });

  it('reaches the ranks of the given resource handle', () => {
    const of = kernel(
      { name: 'k', use: { llA2A }, params: { ...params, mm: multimemHandle } },
      ({ llA2A, coopCta, u32 }, { comm, t, handle, block, maxElts, mm }) => {
        const session = llA2A.session(coopCta(), comm, t, handle, block, maxElts, { multimem: true, mmHandle: mm });
        session.bcast(0, u32(1));
      },
    );
    const module = of.compile();
    const groups: string[] = [];
    walkBody(module.body, {
      expression: (e) => {
        if (e.kind === 'multicastPointer') groups.push(JSON.stringify(e.group));
      },
    });
    const param = module.params.findIndex(({ name }) => name === 'mm.mcBasePtr');
    expect(new Set(groups)).toEqual(new Set([expect.stringContaining(`"param":${param}`)]));
  });
});
