import { decodeArray, encodeArray, roundToBf16, roundToF16, scalarInfo, type ScalarKind } from '@nccl-ts/core';
import * as fc from 'fast-check';
import { describe, expect, inject, test } from 'vitest';

import { compileModule, createMemory, encodeModule, wat, type WebAssemblyMemory } from '@nccl-ts/codegen/encoder';
import { emitNative } from '../src/emit/emit-native.ts';
import { NativeJobs } from '../src/engine/native-jobs.ts';
import type { NativeReduction, NativeWork } from '../src/plan/native-work.ts';
import { isNative, planCollective, type NativeCollective } from '../src/engine/plan-collective.ts';
import { alternativeAlgorithm, type SumAlgorithm } from '../src/plan/sum-algorithm.ts';
import { TeamJob } from '../src/team/team.ts';

/** The quick tests have one of 8. */
const isNow = (_: unknown, i: number): boolean => (i % 8 === 0) !== inject('slow');

const seed = 20261122;
const reductions: readonly NativeReduction[] = ['sum', 'prod', 'min', 'max', 'avg'];
const elements: readonly ScalarKind[] = ['i8', 'u8', 'i32', 'u32', 'i64', 'u64', 'f16', 'bf16', 'f32', 'f64'];
const FIRST = 12288;

/**
 * The code that does the work: specialised code for sums, or code for any addresses, as in the
 * first call.
 */
const codes = ['straight', 'zeroedFirst', 'passedOn', 'anywhere'] as const;
type Codes = (typeof codes)[number];

function run(memory: WebAssemblyMemory, work: NativeWork, code: Codes = 'straight'): void {
  if (code === 'anywhere') {
    new NativeJobs({ memory, allocate: () => 4096 }, 1).run('', 1, () => work);
    return;
  }
  const options = { shared: false, naps: false, cores: 2 };
  const module = compileModule(encodeModule(emitNative(work, { ...options, algorithm: code })));
  new TeamJob(module, memory).run(0, 1, 1);
}

type Values = readonly (number | bigint)[];

function put(memory: WebAssemblyMemory, element: ScalarKind, at: number, values: Values): void {
  const data = encodeArray(element, values);
  new Uint8Array(memory.buffer).set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), at);
}

function take(memory: WebAssemblyMemory, element: ScalarKind, at: number, count: number): Values {
  return [...decodeArray(element, new Uint8Array(memory.buffer, at, count * scalarInfo[element].bytes).slice())];
}

/** Returns the result for each value, in the type of the sum. */
function reduced(element: ScalarKind, reduction: NativeReduction, values: Values): number | bigint {
  const { bits, signed } = scalarInfo[element];
  const big = (value: bigint): bigint => (signed ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
  if (element.startsWith('i') || element.startsWith('u')) {
    const whole = values.map(BigInt).reduce((a, b) => {
      if (reduction === 'sum') return big(a + b);
      if (reduction === 'prod') return big(a * b);
      return reduction === 'min' ? (a < b ? a : b) : a > b ? a : b;
    });
    return bits === 64 ? whole : Number(whole);
  }
  const round = element === 'f64' ? (x: number): number => x : Math.fround;
  let total = values.map(Number).reduce((a, b) => {
    if (reduction === 'min' || reduction === 'max') {
      if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a;
      return reduction === 'min' ? Math.min(a, b) : Math.max(a, b);
    }
    return round(reduction === 'prod' ? a * b : a + b);
  });
  if (reduction === 'avg') total = round(total / values.length);
  if (element === 'f16') return roundToF16(total);
  return element === 'bf16' ? roundToBf16(total) : total;
}

function arbitraryOf(element: ScalarKind): fc.Arbitrary<number | bigint> {
  const { bits, signed } = scalarInfo[element];
  if (element === 'f16') return fc.float().map((x) => roundToF16(x % 70000));
  if (element === 'bf16') return fc.float().map(roundToBf16);
  if (element === 'f32') return fc.float();
  if (element === 'f64') return fc.double();
  const [least, most] = signed
    ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n]
    : [0n, 2n ** BigInt(bits) - 1n];
  const value = fc.bigInt(least, most);
  return bits === 64 ? value : value.map(Number);
}

describe('reductions equal a reference, to the bit', () => {
  const kinds = elements.flatMap((element) => reductions.map((reduction) => ({ element, reduction })));
  test.each(kinds.filter(isNative).filter(isNow))('$reduction of $element', ({ element, reduction }) => {
    const { bytes } = scalarInfo[element];
    const memory = createMemory(2, 2);
    const property = fc.property(
      fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 9, max: 19 })).chain((ranks) =>
        fc.record({
          values: fc.integer({ min: 1, max: 40 }).chain((count) =>
            fc.array(fc.array(arbitraryOf(element), { minLength: count, maxLength: count }), {
              minLength: ranks,
              maxLength: ranks,
            }),
          ),
          shift: fc.nat(7),
          isInPlace: fc.boolean(),
          code: fc.constantFrom(...codes),
        }),
      ),
      ({ values, shift, isInPlace, code }) => {
        const count = values[0]?.length ?? 0;
        const stride = Math.ceil((count * bytes + 64) / 64) * 64;
        const send = values.map((_, rank) => FIRST + rank * stride + shift * bytes);
        const recv = send.map((address, rank) => (isInPlace ? address : address + 16384 + 3 * bytes * rank));
        values.forEach((row, rank) => put(memory, element, send[rank] ?? 0, row));
        const plan = planCollective({ collective: 'allReduce', element, reduction, count, root: 0, send, recv });
        run(memory, plan, code);
        const want = Array.from({ length: count }, (_, i) =>
          reduced(
            element,
            reduction,
            values.map((row) => row[i] ?? 0),
          ),
        );
        for (const address of recv) expect(take(memory, element, address, count)).toEqual(want);
      },
    );
    fc.assert(property, { seed, numRuns: inject('everyCase') ? 60 : 12 });
  });

  test('operations without instructions are left to kernels', () => {
    const left = kinds.filter((kind) => !isNative(kind)).map(({ element, reduction }) => `${reduction} ${element}`);
    expect(left).toEqual(['prod i8', 'avg i8', 'prod u8', 'avg u8', 'avg i32', 'avg u32', 'avg i64', 'avg u64']);
    expect(isNative({ element: 'e4m3', reduction: 'sum' })).toBe(false);
    expect(isNative({ element: 'e4m3', reduction: undefined })).toBe(true);
  });
});

test.each(['f16', 'bf16'] as const)('every %s converts to f32 and back', (element) => {
  const memory = createMemory(8, 8);
  const words = new Uint16Array(memory.buffer);
  const [from, to] = [FIRST, FIRST + (1 << 17) + 64];
  for (let bits = 0; bits < 1 << 16; bits++) words[from / 2 + bits] = bits;
  run(memory, [{ kind: 'reduce', element, reduction: 'sum', sources: [from], destinations: [to], bytes: 1 << 17 }]);
  const [infinity, mantissa] = element === 'f16' ? [0x7c00, 0x03ff] : [0x7f80, 0x007f];
  const wrong: string[] = [];
  for (let bits = 0; bits < 1 << 16; bits++) {
    const got = words[to / 2 + bits] ?? 0;
    const isNaNs = (x: number): boolean => (x & infinity) === infinity && (x & mantissa) !== 0;
    if (isNaNs(bits) ? !isNaNs(got) : got !== bits) wrong.push(`${bits.toString(16)} is ${got.toString(16)}`);
  }
  expect(wrong).toEqual([]);
});

const collectives: readonly NativeCollective['collective'][] = [
  'broadcast',
  'allGather',
  'reduceScatter',
  'allToAll',
  'gather',
  'scatter',
  'reduce',
];

const ways = collectives.flatMap((collective) => codes.map((code) => ({ collective, code })));

test.each(ways.filter(isNow))('$collective, code: $code: writes the expected bytes and no others', (way) => {
  const { collective, code } = way;
  const memory = createMemory(4, 4);
  const bytes = new Uint8Array(memory.buffer);
  for (const [ranks, count] of [
    [3, 5],
    [4, 2000],
    [1, 9],
  ] as const) {
    bytes.forEach((_, i) => (bytes[i] = (i * 7 + (i >> 8)) & 0xff));
    const before = bytes.slice();
    const root = ranks - 1;
    const send = Array.from({ length: ranks }, (_, rank) => FIRST + rank * 9001);
    const recv = Array.from({ length: ranks }, (_, rank) => FIRST + (ranks + rank) * 9001 + 3);
    const reduction = collective === 'reduceScatter' || collective === 'reduce' ? 'sum' : undefined;
    run(memory, planCollective({ collective, element: 'u8', reduction, count, root, send, recv }), code);
    const want = before.slice();
    // The location of the table of addresses.
    want.set(bytes.slice(0, FIRST));
    const part = (rank: number, index: number): Uint8Array =>
      before.slice((send[rank] ?? 0) + index * count, (send[rank] ?? 0) + (index + 1) * count);
    const place = (rank: number, index: number, data: Uint8Array): void =>
      want.set(data, (recv[rank] ?? 0) + index * count);
    const sum = (index: number): Uint8Array =>
      Uint8Array.from({ length: count }, (_, i) => send.reduce((s, _one, rank) => s + (part(rank, index)[i] ?? 0), 0));
    for (let a = 0; a < ranks; a++) {
      if (collective === 'broadcast') place(a, 0, part(root, 0));
      if (collective === 'reduce' && a === root) place(a, 0, sum(0));
      if (collective === 'reduceScatter') place(a, 0, sum(a));
      if (collective === 'gather') place(root, a, part(a, 0));
      if (collective === 'scatter') place(a, 0, part(root, a));
      for (let b = 0; b < ranks; b++) {
        if (collective === 'allGather') place(b, a, part(a, 0));
        if (collective === 'allToAll') place(b, a, part(a, b));
      }
    }
    expect(Buffer.compare(Buffer.from(bytes), Buffer.from(want))).toBe(0);
  }
});

test('repeated work gets its own code', () => {
  const memory = createMemory(4, 4);
  const bytes = new Uint8Array(memory.buffer);
  const jobs = new NativeJobs({ memory, allocate: () => 4096 }, 1);
  let plans = 0;
  const plan = (): NativeWork => {
    plans++;
    return [{ kind: 'copy', source: FIRST, destinations: [FIRST + 5000], bytes: 999 }];
  };
  for (let i = 0; i < 300; i++) {
    bytes.fill(i & 0xff, FIRST, FIRST + 999);
    jobs.run('a copy', 1, plan);
    expect(bytes[FIRST + 5998]).toBe(i & 0xff);
  }
  // From then on its value is not read.
  expect(plans).toBe(256);
  jobs.close();
});

test('addresses are compiled in as constants', async () => {
  const work = planCollective({
    collective: 'allReduce',
    element: 'f32',
    reduction: 'sum',
    count: 1000,
    root: 0,
    send: [8192, 20000, 40000],
    recv: [8192, 20000, 40000],
  });
  await expect(wat(emitNative(work, { shared: true, naps: true, cores: 2 }))).toMatchFileSnapshot(
    './snapshots/all-reduce-f32.wat',
  );
});

describe('code for sums', () => {
  const count = 600;
  const reduce = (recv: readonly number[], send = [8192, 20000]): NativeWork =>
    planCollective({ collective: 'allReduce', element: 'f32', reduction: 'sum', count, root: 0, send, recv });
  const text = (work: NativeWork, way: SumAlgorithm): string =>
    wat(emitNative(work, { shared: true, naps: true, cores: 2, algorithm: way }));
  const many = Array.from({ length: 9 }, (_, rank) => 8192 + 4096 * rank);

  test('zeroes all pieces first, one after the other', async () => {
    await expect(text(reduce([40000, 60000]), 'zeroedFirst')).toMatchFileSnapshot(
      './snapshots/all-reduce-f32-zeroed-first.wat',
    );
  });

  test('passes sums on, one piece after the other', async () => {
    await expect(text(reduce([8192, 20000, 40000], [8192, 20000, 40000]), 'passedOn')).toMatchFileSnapshot(
      './snapshots/all-reduce-f32-passed-on.wat',
    );
  });

  test.each<[why: string, way: SumAlgorithm, work: NativeWork]>([
    ['zeroes would be read', 'zeroedFirst', reduce([8192, 40000])],
    ['many sources are zeroed for nothing', 'zeroedFirst', reduce([100000], many)],
    ['apart, what is passed on is stored as slowly', 'passedOn', reduce([40000, 60000])],
    ['nobody is there to pass it on to', 'passedOn', reduce([8192])],
    ['there is more to load than to store', 'passedOn', reduce(many.slice(0, 5), many.slice(0, 5))],
    ['many sources are passed on anyway', 'passedOn', reduce(many, many)],
  ])('uses straight code if %s', (_, way, work) => {
    expect(text(work, way)).toBe(text(work, 'straight'));
  });

  const sized = (bytes: number, inPlace: boolean): NativeWork => {
    const send = [1 << 16, 1 << 29];
    const recv = inPlace ? send : [1 << 30, 3 * 2 ** 29];
    return planCollective({
      collective: 'allReduce',
      element: 'f32',
      reduction: 'sum',
      count: bytes / 4,
      root: 0,
      send,
      recv,
    });
  };
  const MIB = 1 << 20;

  test.each<[MiB: number, apart: SumAlgorithm | undefined, inPlace: SumAlgorithm | undefined]>([
    [1, undefined, undefined],
    [2, 'zeroedFirst', undefined],
    [16, 'zeroedFirst', 'passedOn'],
    [32, 'zeroedFirst', 'passedOn'],
    [64, undefined, 'passedOn'],
    [256, undefined, 'passedOn'],
  ])('for two ranks with %i MiB each: separate also %s, in place %s', (size, apart, inPlace) => {
    expect(alternativeAlgorithm(sized(size * MIB, false))).toBe(apart);
    expect(alternativeAlgorithm(sized(size * MIB, true))).toBe(inPlace);
  });

  const sums = [
    { place: 'apart', bytes: 2 * MIB, recv: 2 },
    { place: 'in place', bytes: 16 * MIB, recv: 0 },
  ];
  test.each(sums.filter(isNow))(
    'repeated work is right while both variants are tried, and afterwards: $place',
    ({ bytes, recv }) => {
      const pages = (4 * bytes) / 65536 + 8;
      const memory = createMemory(pages, pages);
      const words = new Uint32Array(memory.buffer);
      const jobs = new NativeJobs({ memory, allocate: () => 4096 }, 1);
      const at = (buffer: number): number => FIRST + buffer * bytes;
      const plan = (): NativeWork =>
        planCollective({
          collective: 'allReduce',
          element: 'u32',
          reduction: 'sum',
          count: bytes / 4,
          root: 0,
          send: [at(0), at(1)],
          recv: [at(recv), at(recv + 1)],
        });
      const wrong: number[] = [];
      // The first sums lead to specialised code. Then each of two jobs has 12 turns.
      for (let i = 1; i <= 26; i++) {
        words.fill(i, at(0) / 4, at(2) / 4);
        const times = 1 + (i % 2);
        jobs.run('a sum', times, plan);
        // In place, a second run doubles the result of the first.
        const want = recv === 0 ? i * 2 ** times : 2 * i;
        if (words.subarray(at(recv) / 4, at(recv + 2) / 4).some((word) => word !== want)) wrong.push(i);
      }
      expect(wrong).toEqual([]);
      jobs.close();
    },
  );
});
