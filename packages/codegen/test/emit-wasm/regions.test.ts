import { parseModule } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';

import { emitJs, type EmitJsOptions } from '../../src/index.ts';
import { webAssemblyRegions } from '../../src/wasm.ts';
import type { ProgramCode } from '../../src/program/program.ts';
import { allReduce, blockSum, divergentWait, hostile, ticketLock } from '../support/kernels.ts';
import { asValidated, EmittedFault, runEmitted, testLaunch, type LaunchOptions } from '../support/machine.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The quick tests have the first. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

/** A kernel whose body is `body`, with `%0`... of the given types. */
function kernel(locals: readonly string[], body: string, head = ''): string {
  const declared = locals.map((type, i) => `local %${i} l${i}: ${type}`).join('\n');
  return `kernel k\nparam $0 comm: DevComm\nparam $1 win: Window\n${head}\n${declared}\n{\n${body}\n}`;
}

const own = (type: string, at = 0): string => `(window(${type}, $1, $0.lsaRank:i32, ${at}:addr) +> threadIdx.x)`;
const all: EmitJsOptions = { regions: webAssemblyRegions, compiles: 'all' };

function emitted(text: string, options: EmitJsOptions = all, threads = 64): ProgramCode {
  const specialisation = { blockDim: { x: threads, y: 1, z: 1 }, fields: { lsaSize: 2 } };
  return emitJs(asValidated(parseModule(text)), specialisation, options);
}

interface Outcome {
  readonly fault: object | undefined;
  readonly bytes: Uint8Array;
}

/** Returns the outcome of a kernel, and the final bytes of the windows. */
function outcome(text: string, launchOptions: LaunchOptions, options: EmitJsOptions): Outcome {
  const fill: LaunchOptions['fill'] = ({ u8 }) => u8.forEach((_, i) => (u8[i] = (i * 37 + (i >> 7)) & 63));
  const launch = testLaunch({ fill, ...launchOptions });
  const bytes = new Uint8Array(launch.heap, 0, launch.linear.frame);
  const module = parseModule(text);
  const { sites } = emitJs(asValidated(module), { blockDim: launch.block, fields: { lsaSize: launch.ranks } }, options);
  try {
    runEmitted(module, launch, options);
  } catch (error) {
    if (!(error instanceof EmittedFault)) throw error;
    // Places have other numbers if code is generated in another order.
    return { fault: { ...error.fault, site: sites[error.fault.site] }, bytes };
  }
  return { fault: undefined, bytes };
}

/**
 * Runs a kernel in both engines, whose results must be equal. Returns its fault, if there is one.
 */
function same(text: string, launch: LaunchOptions = {}, options: EmitJsOptions = {}): object | undefined {
  const wasm = outcome(text, launch, { ...all, ...options });
  const js = outcome(text, launch, options);
  expect(wasm.fault).toEqual(js.fault);
  expect(wasm.bytes.findIndex((byte, i) => byte !== js.bytes[i])).toBe(-1);
  return wasm.fault;
}

describe('the selection of WebAssembly', () => {
  it('is reported for each loop, with the reason if it is not translated', () => {
    expect(emitted(allReduce).regions?.map(({ engine, lanes }) => `${engine} ${lanes}`)).toMatchInlineSnapshot(`
      [
        "wasm false",
        "wasm true",
        "wasm false",
        "wasm false",
      ]
    `);
    const left = kernel(['u64', 'u32'], `%0 = clock\n store ${own('u64')}, %0\n sync cta\n store ${own('u32')}, 1:u32`);
    expect(emitted(left).regions).toMatchInlineSnapshot(`
      [
        {
          "engine": "js",
          "lanes": false,
          "name": "threads0",
          "reason": "clock",
        },
        {
          "engine": "wasm",
          "lanes": true,
          "name": "threads1",
        },
      ]
    `);
  });

  it('is empty if each thread has a program counter', () => {
    const reason = 'every thread has a program counter';
    expect(emitted(divergentWait)).toMatchObject({ regions: [{ name: 'run', engine: 'js', reason }], wat: undefined });
  });

  it('contains the loops that are worth a call, or all loops on request', () => {
    const text = kernel([], `if (threadIdx.x == 0:u32) {\n store ${own('u32')}, 1:u32\n }`);
    const engines = (threads: number): readonly string[] =>
      emitted(text, { regions: webAssemblyRegions }, threads).regions?.map(({ engine }) => engine) ?? [];
    expect(engines(8)).toEqual(['js']);
    expect(engines(512)).toEqual(['wasm']);
  });

  it('is empty for the JavaScript engine, or if every access is watched', () => {
    for (const options of [{}, { regions: undefined }, { ...all, watch: true }] as const) {
      expect(emitted(allReduce, options)).toMatchObject({ regions: [], wat: undefined });
    }
  });

  it('leads to the WebAssembly text of the snapshots', async () => {
    await expect(emitted(allReduce).wat ?? '').toMatchFileSnapshot('../snapshots/allReduce.wat');
    await expect(emitted(blockSum).wat ?? '').toMatchFileSnapshot('../snapshots/blockSum.wat');
  });
});

describe('kernels leave the same bytes as in JavaScript', () => {
  it.each(
    Object.entries({ allReduce, blockSum, divergentWait, ticketLock, hostile }).filter(
      (row) => (row[0] === 'blockSum') !== inject('slow'),
    ),
  )('kernel %s leaves the same bytes as in JavaScript', (_, text) => {
    for (const block of [2, 3, 33, 64]) {
      expect(same(text, { ranks: 2, block, bytes: 8192, args: [90, 0.5], fill: () => {} })).toBeUndefined();
    }
  });

  it.each([4, -4, 8, 16, 64, 256, 0].filter(isNow))(
    'if threads store to words that others load, %d bytes away',
    (distance) => {
      const text = kernel(
        ['f32', 'u32'],
        `
      %0 = load ${own('f32', 1024)}
      %1 = load ${own('u32', 2048)}
      store ${own('f32', 1024 + distance)}, (%0 + 1:f32)
      store ${own('u32', 2048 - distance)}, (%1 ^ threadIdx.x)`,
      );
      expect(emitted(text).regions).toMatchObject([{ engine: 'wasm', lanes: true }]);
      for (const block of [1, 2, 7, 64]) expect(same(text, { block })).toBeUndefined();
    },
  );

  it.each(['f32', 'u32', 'i32', 'f64', 'i64'].filter(isNow))('lanes of type %s', (type) => {
    const text = kernel(
      [type, type, 'bool', type],
      `
      %0 = load ${own(type, 0)}
      %1 = load ${own(type, 1024)}
      %2 = (blockIdx.x == 0:u32)
      %3 = ((%0 * %1) + select(%2, %1, %0))
      %3 = (%3 - (%0 + %0))
      store ${own(type, 2048)}, %3
      sync cta
      store ${own(type, 3072)}, (%3 + %1)`,
    );
    const { regions = [] } = emitted(text);
    expect(regions.map(({ engine }) => engine)).not.toContain('js');
    for (const block of [1, 5, 64]) expect(same(text, { block })).toBeUndefined();
  });

  it.each(['f16', 'bf16', 'i8', 'u8', 'i16', 'u16'].filter(isNow))('lanes of the narrow type %s', (type) => {
    const wide = type.includes('f') ? 'f32' : 'i32';
    const text = kernel(
      [type, type, wide, type],
      `
      %0 = load ${own(type, 0)}
      %1 = load ${own(type, 1024)}
      %2 = (${wide}(%0) + ${wide}(%1))
      %3 = ${type}((%2 - (${wide}(%1) * ${wide}(%1))))
      store ${own(type, 2048)}, %3
      store ${own(type, 2560)}, (%1 - min(%0, %3))
      sync cta
      store ${own(wide, 3072)}, ${wide}((%3 + %1))`,
    );
    const { regions = [] } = emitted(text);
    expect(regions.map(({ engine, lanes }) => `${engine} ${lanes}`)).toEqual(['wasm true', 'wasm true']);
    for (const block of [1, 5, 64]) expect(same(text, { block })).toBeUndefined();
    const sums = kernel(
      [type, type],
      `%0 = load ${own(type, 0)}\n %1 = load ${own(type, 1024)}
       store ${own(type, 2048)}, ${type}((${wide}(%0) + ${wide}(%1)))`,
    );
    expect(emitted(sums).regions).toMatchObject([{ engine: 'wasm', lanes: true }]);
    for (const block of [1, 7, 64]) expect(same(sums, { block })).toBeUndefined();
  });

  it.each(['f32', 'i32', 'u32'].filter((row) => (row === 'f32') !== inject('slow')))(
    'vectors of %s, computed element by element',
    (type) => {
      const vector = `vec(${type}, 4)`;
      const each = (of: (i: number) => string): string => `${vector}[${[0, 1, 2, 3].map(of).join(', ')}]`;
      const text = kernel(
        [vector, vector, vector, ...[0, 1, 2, 3].map(() => type), 'u32'],
        `
      %0 = load ${own(vector, 0)}
      %1 = load ${own(vector, 1024)}
      ${[0, 1, 2, 3].map((i) => `%${3 + i} = lane(%0, ${i}:u32)`).join('\n')}
      %2 = ${each((i) => `max((%${3 + i} * 2:${type}), lane(%1, ${i}:u32))`)}
      store ${own(vector, 2048)}, %2
      loop while (%7 < (threadIdx.x & 3:u32)) {
        store ${own(vector, 6144)}, ${each((i) => `(%${3 + i} - lane(%1, ${i}:u32))`)}
        %0 = (%0 + %1)
      } update {
        %7 = (%7 + 1:u32)
      }
      store ${own(vector, 3072)}, ${each((i) => `(%${3 + i} - lane(%0, ${i}:u32))`)}
      %4 = (%5 + %6)
      store ${own(vector, 4096)}, ${each((i) => `(lane(%1, ${i}:u32) * lane(%2, ${3 - i}:u32))`)}
      if (threadIdx.x == 3:u32) {
        %2 = (%1 + %1)
      }
      store ${own(vector, 5120)}, ${each((i) => `(%${3 + i} + lane(%2, ${i}:u32))`)}`,
      );
      for (const block of [1, 5, 64]) expect(same(text, { block, bytes: 8192 })).toBeUndefined();
    },
  );

  it.each(['vec(f32, 4)', 'vec(u8, 16)', 'vec(f64, 2)', 'vec(bf16, 8)', 'vec(i16, 4)'].filter(isNow))(
    'packs of %s',
    (type) => {
      const text = kernel(
        [type, type],
        `
      %0 = load ${own(type, 0)}
      %1 = load ${own(type, 1024)}
      store ${own(type, 2048)}, (%0 + %1)
      sync cta
      store ${own(type, 3072)}, min(%1, (%0 * %1))`,
      );
      for (const block of [1, 5, 64]) expect(same(text, { block })).toBeUndefined();
    },
  );
});

describe('rounds that continue the previous one', () => {
  /** A row of rounds. */
  const rounds = (type: string, body: string, count = '200:u32'): string =>
    kernel(
      ['u32', type, type, 'u32'],
      `%0 = threadIdx.x\n %3 = 5:u32\n loop while (%0 < ${count}) {\n ${body}\n } update {\n %0 = (%0 + 64:u32)\n }
       store (window(u32, $1, $0.lsaRank:i32, 16380:addr) +> 0:i32), %3`,
    );
  const at = (type: string, byte: number, by = '%0'): string =>
    `(window(${type}, $1, $0.lsaRank:i32, ${byte}:addr) +> ${by})`;
  const isRow = (text: string): boolean => emitted(text).text.includes('const row');
  const launch = { bytes: 16384, block: 64 };

  it.each([4096, 16, -16, 32, -32, 48, 64, -64, 1024, 0].filter(isNow))(
    'are one row of threads: %d bytes away',
    (distance) => {
      for (const type of ['vec(f32, 4)', 'vec(bf16, 8)', 'vec(u8, 16)']) {
        const text = rounds(
          type,
          `%1 = load ${at(type, 4096)}
         %2 = load ${at(type, 0)}
         store ${at(type, 4096 + distance)}, (%1 + %2)
         store ${at(type, 8192 - distance)}, %2`,
        );
        expect(isRow(text)).toBe(true);
        expect(same(text, launch)).toBeUndefined();
      }
    },
  );

  it.each([4, -4, 8, 16, 256, 2048].filter(isNow))('of single elements are one row: %d bytes away', (distance) => {
    const text = rounds('f32', `%1 = load ${at('f32', 4096)}\n store ${at('f32', 4096 + distance)}, (%1 + 1:f32)`);
    expect(isRow(text)).toBe(true);
    expect(same(text, launch)).toBeUndefined();
  });

  it('in inner loops, and without elements, are one row', () => {
    const inner = rounds('f32', `%3 = 1:u32\n store ${at('f32', 0)}, f32(%0)`, '0:u32');
    expect(same(inner, launch)).toBeUndefined();
    const chosen = rounds('u32', `if (%0 == 70:u32) {\n store ${at('u32', 4096)}, 9:u32\n }`);
    expect(isRow(chosen)).toBe(true);
    expect(same(chosen, launch)).toBeUndefined();
  });

  it('fault as in JavaScript, after the same stores', () => {
    const text = rounds('u32', `%1 = load ${at('u32', 0)}\n store ${at('u32', 15_984)}, %1`);
    expect(isRow(text)).toBe(true);
    expect(same(text, launch)).toMatchObject({ thread: 36 });
  });

  it.for(slow)('are not one row if they depend on the thread or the round', () => {
    const bodies = [
      `store ${at('u32', 0)}, threadIdx.x`,
      `%3 = (%3 + %0)\n store ${at('u32', 0)}, 1:u32`,
      `assert (%0 < 500:u32), "too many"\n store ${at('u32', 0)}, 1:u32`,
      `store ${at('u32', 0, '((%0 * %0) % 64:u32)')}, %0`,
    ];
    for (const body of bodies) {
      const text = rounds('u32', body);
      expect(isRow(text)).toBe(false);
      expect(same(text, launch)).toBeUndefined();
    }
  });
});

describe('faults equal those of JavaScript, after the same stores', () => {
  const plain = (statement: string): string => kernel(['u32', 'i32', 'addr', 'bool'], statement);
  const arrays = (body: string): string => kernel(['u32'], body, 'array #0 s: shared u32[4]\narray #1 m: local u32[2]');
  const faulty: Readonly<Record<string, string>> = {
    'past the window’s end': plain(`store (window(u32, $1, $0.lsaRank:i32, 4000:addr) +> threadIdx.x), 1:u32`),
    'past it, a number of elements away that differs': plain(
      `store (window(u32, $1, $0.lsaRank:i32, 4000:addr) +> (threadIdx.x * threadIdx.x)), 7:u32`,
    ),
    'a peer that is not there': plain(`%0 = load (window(u32, $1, i32((threadIdx.x / 8:u32)), 8:addr) +> threadIdx.x)`),
    'a peer below 0': plain(`%0 = load (window(u32, $1, (1:i32 - i32(threadIdx.x)), 8:addr) +> 0:i32)`),
    'a shared array': arrays(`store (#0 +> (threadIdx.x ^ 1:u32)), 1:u32`),
    'a local array': arrays(`store (#1 +> (threadIdx.x / 9:u32)), 1:u32`),
    misaligned: plain(`store (window(u32, $1, 0:i32, (addr(threadIdx.x) * 3:addr)) +> 0:i32), 9:u32`),
    'misaligned vectors': kernel(['vec(f32, 4)'], `%0 = load (window(vec(f32, 4), $1, 0:i32, 8:addr) +> threadIdx.x)`),
    'division by zero': plain(`store ${own('u32')}, (7:u32 / (threadIdx.x - 3:u32))`),
    'the smallest by -1': plain(`%1 = (-2147483648:i32 / (i32(threadIdx.x) - 5:i32))`),
    'a u64 by zero': kernel(['u64'], `%0 = ((u64(threadIdx.x) << 60n:u64) % u64((threadIdx.x - 4:u32)))`),
    'an address below zero': plain(`%2 = (1:addr - addr(threadIdx.x))`),
    'a negative address': plain(`%2 = addr((2:i32 - i32(threadIdx.x)))`),
    'a lane': kernel(['vec(u32, 4)', 'u32'], `%1 = lane(%0, threadIdx.x)`),
    'an assertion': plain(`store ${own('u32')}, 5:u32\n assert (threadIdx.x < 3:u32), "too many"`),
    'a requirement': plain(`require (threadIdx.x < 3:u32), "at most three"`),
    'a loop without an end': plain(`loop {\n %0 = (%0 + threadIdx.x)\n }`),
  };
  it.each(Object.entries(faulty))('the fault of kernel %s equals that of JavaScript', (_, text) => {
    expect(same(text, {}, { fuel: 5000 })).toBeDefined();
    expect(emitted(text).regions?.map(({ engine }) => engine)).toEqual(['wasm']);
  });

  it('happen only in the selected operand', () => {
    const text = plain(
      `%3 = ((threadIdx.x == 3:u32) || ((7:u32 / (threadIdx.x - 3:u32)) < 9:u32))
       store ${own('u32')}, select((threadIdx.x == 3:u32), 0:u32, (7:u32 / (threadIdx.x - 3:u32)))
       assert %3, "too large"`,
    );
    expect(same(text)).toBeUndefined();
  });
});

it('loops of plain accesses become WebAssembly under a trace, thread by thread', () => {
  const specialisation = { blockDim: { x: 64, y: 1, z: 1 }, fields: { lsaSize: 2 } };
  const options = { ...all, trace: true };
  const { regions, wat = '' } = emitJs(asValidated(parseModule(allReduce)), specialisation, options);
  expect(regions?.filter(({ engine, lanes }) => engine === 'wasm' && !lanes).length).toBeGreaterThan(0);
  expect(regions?.filter(({ lanes }) => lanes)).toEqual([]);
  expect(wat).toContain('call $traced');
});
