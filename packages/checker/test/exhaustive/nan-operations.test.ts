import { explore } from '@nccl-ts/checker';
import { sim, type SimBackend } from '@nccl-ts/backend-sim';
import { World } from '@nccl-ts/communicator';
import { bf16, f16, f32, f64, i32, i64, kernel, u16, u32, u64, type Kernel } from '@nccl-ts/kernel';
import { window, type WindowArg } from '@nccl-ts/devcomm';
import { lsa } from '@nccl-ts/lsa';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { simWith, resolveSimOptions } from '@nccl-ts/backend-sim/internal';

const threads = 8;
/** Results of each thread. */
const results = 21;

// oxlint-disable-next-line typescript/explicit-function-return-type -- what kernel() answers
function operationsOf(T: typeof f32, B: typeof u32) {
  return kernel(
    { name: 'operations', use: { lsa, T, B }, params: { win: window } },
    ({ lsa, T, B, threadIdx, math, bitcast, abs, fma }, { win }) => {
      const t = threadIdx.x;
      const p = lsa.localPointer(win, T, 0);
      const bits = lsa.localPointer(win, B, 0);
      const x = p[t]!;
      const y = p[t + 8]!;
      const o = 16 + t;
      p[o] = x % y;
      p[o + 8] = x % T(0);
      p[o + 16] = math.log(x);
      p[o + 24] = math.log2(x);
      p[o + 32] = math.sqrt(x);
      p[o + 40] = math.rsqrt(x);
      p[o + 48] = math.pow(x, y);
      p[o + 56] = math.sin(x);
      p[o + 64] = math.cos(x);
      p[o + 72] = math.exp(x);
      p[o + 80] = math.tanh(x);
      p[o + 88] = math.floor(x);
      p[o + 96] = math.round(x);
      p[o + 104] = fma(x, y, x);
      p[o + 112] = math.exp2(x);
      bits[o + 120] = bitcast(B, x);
      bits[o + 128] = bitcast(B, x % y);
      bits[o + 136] = bitcast(B, math.log(x));
      p[o + 152] = -(x % y);
      p[o + 160] = abs(math.log(x));
    },
  );
}

const kinds = {
  f16: {
    T: f16,
    B: u16,
    bytes: 2,
    specials: [
      0x7c00n,
      0xfc00n,
      0x7e00n,
      0xfe00n,
      0x7d01n,
      0xfd01n,
      0x7fffn,
      0n,
      0x8000n,
      0xbc00n,
      0x3c00n,
      1n,
      0x8001n,
    ],
  },
  bf16: {
    T: bf16,
    B: u16,
    bytes: 2,
    specials: [
      0x7f80n,
      0xff80n,
      0x7fc0n,
      0xffc0n,
      0x7f81n,
      0xff81n,
      0x7fffn,
      0n,
      0x8000n,
      0xbf80n,
      0x3f80n,
      1n,
      0x8001n,
    ],
  },
  f32: {
    T: f32,
    B: u32,
    bytes: 4,
    specials: [
      0x7f800000n,
      0xff800000n,
      0x7fc00000n,
      0xffc00000n,
      0x7fffffffn,
      0x7fc12345n,
      0n,
      0x80000000n,
      0xbf800000n,
      0x3f800000n,
      1n,
    ],
  },
  f64: {
    T: f64,
    B: u64,
    bytes: 8,
    specials: [
      0x7ff0000000000000n,
      0xfff0000000000000n,
      0x7ff8000000000000n,
      0xfff8000000000000n,
      0x7fffffffffffffffn,
      0n,
      0x8000000000000000n,
      0xbff0000000000000n,
      0x3ff0000000000000n,
      1n,
    ],
  },
} as const;

async function run(
  backend: SimBackend,
  k: Kernel<{ win: WindowArg }>,
  bytes: number,
  inputs: readonly bigint[],
): Promise<readonly string[]> {
  const raw = new Uint8Array((16 + results * threads) * bytes);
  inputs.forEach((bits, at) => {
    for (let byte = 0; byte < bytes; byte++) raw[at * bytes + byte] = Number((bits >> BigInt(8 * byte)) & 255n);
  });
  await using world = await World.open({ backend });
  const [words = []] = await world.run(async (comm) => {
    const win = await comm.allocWindow('u8', raw.length);
    await win.write(raw);
    await comm.launch(k, { grid: 1, block: threads }, { win });
    const read = await win.read();
    return Array.from({ length: results * threads }, (_, i) => {
      const at = (16 + i) * bytes;
      return `${Math.floor(i / threads)} of ${inputs[i % threads]?.toString(16)} ${inputs[(i % threads) + 8]?.toString(16)}: ${Buffer.from(read.subarray(at, at + bytes).toReversed()).toString('hex')}`;
    });
  });
  return words;
}

/** True for all but signalling NaNs, which a host may make quiet whenever it moves them. */
function isQuiet(bits: bigint, name: keyof typeof kinds): boolean {
  if (name === 'f32') return (bits & 0x7fc00000n) !== 0x7f800000n || (bits & 0x3fffffn) === 0n;
  if (name === 'f64') return (bits & 0x7ff8000000000000n) !== 0x7ff0000000000000n || (bits & 0x7ffffffffffffn) === 0n;
  return true;
}

const compiled = (options: { engine: 'js' | 'wasm' }): SimBackend =>
  simWith(resolveSimOptions({ ranks: 1, ...options }), undefined, { compiles: 'all', native: false });

/** The quick tests have one type, and fewer runs of it. */
const types = (['f16', 'bf16', 'f32', 'f64'] as const).filter((_, i) => i === 1 || inject('slow'));

describe.each(types)('operations of %s on NaNs, infinities and zeros', (name) => {
  it('have the same bits in all engines', { timeout: 120_000 }, async () => {
    const { T, B, bytes, specials } = kinds[name];
    const k = operationsOf(T as typeof f32, B as typeof u32);
    const bad = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc
            .oneof(fc.constantFrom(...specials), fc.bigInt(0n, (1n << BigInt(8 * bytes)) - 1n))
            .filter((bits) => isQuiet(bits, name)),
          { minLength: 16, maxLength: 16 },
        ),
        async (inputs) => {
          const expected = await run(compiled({ engine: 'js' }), k, bytes, inputs);
          const others: Record<string, readonly string[]> = {
            wasm: await run(compiled({ engine: 'wasm' }), k, bytes, inputs),
            check: await run(sim({ ranks: 1, mode: 'check' }), k, bytes, inputs),
          };
          await explore(
            { ranks: 1, mode: 'check' },
            async (backend) => {
              others['interpreter'] = await run(backend, k, bytes, inputs);
            },
            { runs: 10 },
          );
          for (const [engine, words] of Object.entries(others))
            words.forEach((w, i) => {
              if (w !== expected[i]) bad.add(`${engine}: ${w} js ${expected[i]?.split(': ')[1]}`);
            });
        },
      ),
      { seed: 1, numRuns: inject('slow') ? 12 : 3 },
    );
    expect([...bad].toSorted()).toEqual([]);
  });
});
describe.each([
  ['i32', i32, -7],
  ['u32', u32, 7],
  ['i64', i64, -7n],
  ['u64', u64, 7n],
] as const)('a remainder by zero of %s', (name, type, value) => {
  it('is the same fault in all engines', async () => {
    const T = type as typeof i32;
    const k = kernel({ name: 'byZero', use: { lsa, T }, params: { win: window } }, ({ lsa, T, threadIdx }, { win }) => {
      const p = lsa.localPointer(win, T, 0);
      p[threadIdx.x] = p[threadIdx.x]! % p[threadIdx.x + 8]!;
    });
    const faultOf = async (backend: SimBackend): Promise<unknown> => {
      await using world = await World.open({ backend });
      return await world
        .run(async (comm) => {
          const win = await comm.allocWindow(name, 16);
          await win.write(Array.from({ length: 16 }, (_, i) => (i < 8 ? value : 0)) as number[]);
          await comm.launch(k, { grid: 1, block: threads }, { win });
          await comm.synchronize();
        })
        .then(
          () => 'no fault',
          (error: unknown) => error,
        );
    };
    const faults = [
      await faultOf(compiled({ engine: 'js' })),
      await faultOf(compiled({ engine: 'wasm' })),
      await faultOf(sim({ ranks: 1, mode: 'check' })),
    ];
    await explore({ ranks: 1, mode: 'check' }, async (backend) => void faults.push(await faultOf(backend)), {
      runs: 1,
    });
    expect(faults).toHaveLength(4);
    for (const fault of faults) {
      expect(fault).toMatchObject({ code: 'NCCLTS_FAULT', message: expect.stringContaining('division by zero') });
    }
  });
});
