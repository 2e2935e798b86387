import { sim } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { decodeArray, encodeArray, isNcclError } from '@nccl-ts/core';
import { symPtr, team } from '@nccl-ts/devcomm';
import { bf16, e5m2, f32, f64, i16, i64, kernel, u32, u8, type ScalarParam } from '@nccl-ts/kernel';
import { reduceCopy } from '@nccl-ts/reduce-copy';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

type Kind = 'bf16' | 'e5m2' | 'f32' | 'f64' | 'i16' | 'i64' | 'u8';
const types: Readonly<Record<Kind, ScalarParam<Kind, unknown>>> = { bf16, e5m2, f32, f64, i16, i64, u8 };
/**
 * The number of random calls. The quick tests have few; with NCCLTS_EVERY_CASE set, there are more.
 */
const numRuns = !inject('slow') ? 3 : inject('everyCase') ? 60 : 30;
const ranks = 3;
const size = 200;

/** Sums over the ranks, and copies the sums to the ranks. Rank 0 does both. */
function kernelOf(kind: Kind) {
  return kernel(
    {
      name: `sumsAndCopies_${kind}`,
      use: { reduceCopy },
      params: { src: symPtr(types[kind]), dst: symPtr(types[kind]), of: team, count: u32, warp: u32 },
    },
    ({ reduceCopy, coopCta, coopWarp, threadIdx }, { src, dst, of, count, warp }) => {
      if (warp === 0) {
        reduceCopy.lsaReduceSum(coopCta(), src, dst.localPtr(), count, of);
        coopCta().sync();
        reduceCopy.lsaCopy(coopCta(), dst.localPtr(), dst, count, of);
      } else if (threadIdx.x < 32) {
        reduceCopy.lsaReduceSumCopy(coopWarp(), src, dst, count, of);
      }
    },
  );
}

/**
 * Sums over all ranks and copies the sums, with this many 16-byte accesses in flight for each
 * source.
 */
function underWay(kind: Kind, packs: number) {
  return kernel(
    {
      name: `underWay_${kind}_${packs}`,
      use: { reduceCopy, PACKS: packs, SOURCES: packs === 1 ? 0 : ranks },
      params: { src: symPtr(types[kind]), dst: symPtr(types[kind]), of: team, count: u32 },
    },
    ({ reduceCopy, PACKS, SOURCES, coopCta, sizeOf, typeOf }, { src, dst, of, count }) => {
      const unroll = (PACKS * 16) / sizeOf(typeOf(src.localPtr()));
      reduceCopy.lsaReduceSum(coopCta(), src, dst.localPtr(), count, of, { unroll, sources: SOURCES });
      coopCta().sync();
      reduceCopy.localCopy(coopCta(), dst.localPtr(), 1, dst.localPtr(), 0, count, { unroll });
    },
  );
}

const underWays = new Map<string, ReturnType<typeof underWay>>();

function cachedUnderWay(kind: Kind, packs: number): ReturnType<typeof underWay> {
  const known = underWays.get(`${kind} ${packs}`) ?? underWay(kind, packs);
  underWays.set(`${kind} ${packs}`, known);
  return known;
}

const kernels = new Map<Kind, ReturnType<typeof kernelOf>>();

function cached(kind: Kind): ReturnType<typeof kernelOf> {
  const known = kernels.get(kind) ?? kernelOf(kind);
  kernels.set(kind, known);
  return known;
}

/** Small whole numbers, whose sums are exact in every type. So every order gives the same bits. */
const whole = (kind: Kind, i: number, rank: number): number | bigint => {
  const value = (i * 7 + rank * 5) % 6;
  return kind === 'i64' ? BigInt(value) : value % 3;
};

const call = fc.record({
  kind: fc.constantFrom<Kind>('bf16', 'e5m2', 'f32', 'f64', 'i16', 'i64', 'u8'),
  from: fc.nat(40),
  to: fc.nat(40),
  count: fc.nat(150),
  warps: fc.integer({ min: 1, max: 3 }),
  members: fc.integer({ min: 1, max: ranks }),
  warp: fc.nat(1),
  inPlace: fc.boolean(),
});

describe('reduceCopy on the simulator', () => {
  it('sums and copies regions at any alignment, and nothing else', async () => {
    await using world = await World.open({ backend: sim({ ranks }) });
    await fc.assert(
      fc.asyncProperty(call, async ({ kind, from, to, count, warps, members, warp, inPlace }) => {
        const at = inPlace ? from : to;
        const source = (rank: number) => Array.from({ length: size }, (_, i) => whole(kind, i, rank));
        const before = (rank: number) =>
          inPlace ? source(rank) : Array.from({ length: size }, () => whole(kind, 1, 1));
        const after = await world.run(async (comm) => {
          const bytes = (values: readonly (number | bigint)[]): Uint8Array => {
            const encoded = encodeArray(kind, values);
            return new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength);
          };
          const own = bytes(source(comm.rank));
          const src = await comm.allocWindow('u8', own.byteLength);
          const dst = inPlace ? src : await comm.allocWindow('u8', own.byteLength);
          await src.write(own);
          if (!inPlace) await dst.write(bytes(before(comm.rank)));
          // All ranks have written; then rank 0 works for all; then all ranks read.
          await (await comm.createDevComm()).destroy();
          const each = own.byteLength / size;
          if (comm.rank === 0) {
            await comm.launch(
              cached(kind),
              { grid: 1, block: 32 * warps },
              {
                src: src.symPtr(from * each, types[kind]),
                dst: dst.symPtr(at * each, types[kind]),
                of: { nRanks: members, rank: 0, stride: 1 },
                count,
                warp,
              },
            );
            await comm.synchronize();
          }
          await (await comm.createDevComm()).destroy();
          return decodeArray(kind, await dst.read(new Uint8Array(own.byteLength)));
        });
        for (let rank = 0; rank < ranks; rank++) {
          const expected = before(rank);
          const touched = rank < members ? count : 0;
          for (let i = 0; i < touched; i++) {
            const values = Array.from({ length: members }, (_, member) => source(member)[from + i] ?? 0);
            expected[at + i] =
              kind === 'i64'
                ? values.reduce<bigint>((a, b) => a + BigInt(b), 0n)
                : values.reduce<number>((a, b) => a + Number(b), 0);
          }
          expect([...(after[rank] ?? [])]).toEqual(expected);
        }
      }),
      { numRuns, seed: 7 },
    );
  });

  it.each([
    ['apart', 0, 64, 64, undefined],
    ['in place', 16, 16, 64, undefined],
    ['partly over each other', 0, 63, 64, 'NCCLTS_MISUSE'],
    ['partly over each other, the other way', 8, 0, 64, 'NCCLTS_MISUSE'],
  ] as const)('checks regions %s', async (_name, from, to, count, code) => {
    await using world = await World.open({ backend: sim({ ranks: 1 }) });
    const run = world.run(async (comm) => {
      const win = await comm.allocWindow('u8', size);
      await comm.launch(
        cached('u8'),
        { grid: 1, block: 64 },
        {
          src: win.symPtr(from, u8),
          dst: win.symPtr(to, u8),
          of: { nRanks: 1, rank: 0, stride: 1 },
          count,
          warp: 1,
        },
      );
      await comm.synchronize();
    });
    const outcome = await run.then(
      () => undefined,
      (error: unknown) => (isNcclError(error) ? error.code : String(error)),
    );
    expect(outcome).toBe(code);
  });

  it.for(slow)('computes the same with more accesses in flight', async () => {
    await using world = await World.open({ backend: sim({ ranks }) });
    const most = 2000;
    const regions = fc.record({
      kind: fc.constantFrom<Kind>('bf16', 'e5m2', 'f32', 'i64', 'u8'),
      from: fc.nat(20),
      to: fc.nat(20),
      count: fc.nat(most - 20),
    });
    await fc.assert(
      fc.asyncProperty(regions, async ({ kind, from, to, count }) => {
        const left = await world.run(async (comm) => {
          const src = await comm.allocWindow(kind, most);
          const [few, many] = [await comm.allocWindow(kind, most), await comm.allocWindow(kind, most)];
          const encoded = encodeArray(
            kind,
            Array.from({ length: most }, (_, i) => whole(kind, i, comm.rank)),
          );
          await src.write(new Uint8Array(encoded.buffer, encoded.byteOffset, encoded.byteLength));
          await (await comm.createDevComm()).destroy();
          const each = src.bytes / most;
          for (const [packs, dst] of [[1, few] as const, [3, many] as const]) {
            const places = { src: src.symPtr(from * each), dst: dst.symPtr(to * each) };
            const of = { nRanks: ranks, rank: comm.rank, stride: 1 };
            await comm.launch(cachedUnderWay(kind, packs), { grid: 1, block: 32 }, { ...places, of, count });
          }
          await comm.synchronize();
          await (await comm.createDevComm()).destroy();
          return [await few.read(new Uint8Array(few.bytes)), await many.read(new Uint8Array(many.bytes))];
        });
        for (const [few, many] of left) expect(many).toEqual(few);
      }),
      { numRuns: Math.ceil(numRuns / 2), seed: 11 },
    );
  });
});
