import { parseModule } from '@nccl-ts/ir';
import { describe, expect, inject, it, vi } from 'vitest';

import { emitJs } from '../../src/index.ts';
import { interpret } from '../support/interpret.ts';
import { allReduce, blockSum, divergentWait, hostile, ticketLock } from '../support/kernels.ts';
import {
  asValidated,
  EmittedFault,
  heapViews,
  runEmitted,
  Stuck,
  testLaunch,
  type LaunchOptions,
  type TestLaunch,
} from '../support/machine.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** A kernel whose body is `body`, with `%0`... of the given types. */
function kernel(locals: readonly string[], body: string, head = ''): string {
  const declared = locals.map((type, i) => `local %${i} l${i}: ${type}`).join('\n');
  return `kernel k\nparam $0 comm: DevComm\nparam $1 win: Window\n${head}\n${declared}\n{\n${body}\n}`;
}

const own = (type: string, at = 0): string => `(window(${type}, $1, $0.lsaRank:i32, ${at}:addr) +> threadIdx.x)`;

function launched(text: string, options: LaunchOptions = {}, mode: 'auto' | 'thread' = 'auto'): TestLaunch {
  const launch = testLaunch(options);
  runEmitted(parseModule(text), launch, { mode });
  return launch;
}

function faultOf(text: string, options: LaunchOptions = {}): EmittedFault['fault'] & { readonly what: string } {
  const launch = testLaunch(options);
  const { sites } = emitJs(asValidated(parseModule(text)), { blockDim: launch.block, fields: {} });
  try {
    runEmitted(parseModule(text), launch);
  } catch (error) {
    if (error instanceof EmittedFault) return { ...error.fault, what: sites[error.fault.site]?.what ?? '' };
    throw error;
  }
  throw new Error('no fault');
}

function stuck(text: string, options: LaunchOptions, mode: 'auto' | 'thread'): Stuck {
  try {
    launched(text, options, mode);
  } catch (error) {
    if (error instanceof Stuck) return error;
    throw error;
  }
  throw new Error('not stuck');
}

function stuckOf(text: string, options: LaunchOptions = {}, mode: 'auto' | 'thread' = 'auto'): Stuck['waiting'] {
  return stuck(text, options, mode).waiting;
}

describe('emitted text', () => {
  const kernels = { allReduce, blockSum, divergentWait, ticketLock, hostile };
  for (const [name, text] of Object.entries(kernels)) {
    it(`of ${name} equals its snapshot`, async () => {
      const { text: code } = emitJs(asValidated(parseModule(text)), {
        blockDim: { x: 64, y: 1, z: 1 },
        fields: { lsaSize: 2 },
      });
      // oxlint-disable-next-line typescript/no-implied-eval -- only parsed, as `node --check` does
      expect(() => new Function(code)).not.toThrow();
      await expect(code).toMatchFileSnapshot(`../snapshots/${name}.js`);
    });
  }

  it('contains nothing of the kernel except readable parts of names', () => {
    const launch = testLaunch({ block: 4 });
    const { code, printed } = runEmitted(parseModule(hostile), launch);
    expect('pwned' in globalThis).toBe(false);
    expect(code.text).not.toMatch(/evil|\*\/|throw|"/);
    expect(printed[0]).toEqual([0, '`${globalThis.pwned = 1}', 0, 0, 0, 0, 0]);
  });

  it('is refused with a clear error if the host forbids code from text', () => {
    vi.stubGlobal('Function', function forbidden() {
      throw new EvalError('Code generation from strings disallowed for this context');
    });
    try {
      expect(() => runEmitted(parseModule(hostile), testLaunch())).toThrow(
        expect.objectContaining({
          code: 'NCCLTS_NOT_SUPPORTED',
          message: expect.stringContaining('content security policy'),
        }),
      );
    } finally {
      vi.unstubAllGlobals();
    }
  });

  it('is compiled once and bound many times', () => {
    const launch = testLaunch({ ranks: 4, block: 64, bytes: 8192, args: [1000] });
    const { code, lockstep } = runEmitted(parseModule(allReduce), launch);
    expect(lockstep).toBe(true);
    expect(code.text).toBe(
      emitJs(asValidated(parseModule(allReduce)), { blockDim: launch.block, fields: { lsaSize: 4 } }).text,
    );
  });
});

describe('whole kernels', () => {
  it('compute an all-reduce over ranks, CTAs and threads', () => {
    for (const mode of ['auto', 'thread'] as const) {
      const ranks = 4;
      const launch = testLaunch({ ranks, grid: 3, block: 64, bytes: 8192, args: [1000] });
      const views = heapViews(launch.heap);
      const at = (rank: number): number => (launch.window(0).bases[rank] ?? 0) / 4;
      for (let r = 0; r < ranks; r++) for (let i = 0; i < 1000; i++) views.f32[at(r) + i] = i + r * 0.5;
      runEmitted(parseModule(allReduce), launch, { mode });
      for (let r = 0; r < ranks; r++) {
        expect([...views.f32.subarray(at(r), at(r) + 1000)]).toEqual(Array.from({ length: 1000 }, (_, i) => 4 * i + 3));
        expect(views.f32[at(r) + 1000]).toBe(0);
      }
    }
  });

  it('sum a block through shuffles and shared memory', () => {
    for (const mode of ['auto', 'thread'] as const) {
      const launch = launched(blockSum, { block: 96 }, mode);
      expect(heapViews(launch.heap).u32[4096 / 4 + 95]).toBe((96 * 97) / 2);
    }
  });

  it.for(slow)('let single threads wait and poll', () => {
    const waited = launched(divergentWait, { ranks: 3, block: 40 });
    expect(heapViews(waited.heap).u32[(4096 + 128) / 4 + 39]).toBe(40);
    const [locked, reference] = [launched(ticketLock, { block: 10 }), testLaunch({ block: 10 })];
    interpret(parseModule(ticketLock), reference);
    expect(new Uint8Array(locked.heap)).toEqual(new Uint8Array(reference.heap));
  });

  it('do not count threads that returned before the CTA synchronizes', () => {
    const text = kernel(
      ['u32'],
      `
      if (threadIdx.x > 2:u32) {
        return
      }
      sync cta
      store ${own('u32')}, 1:u32`,
    );
    const launch = launched(text, { ranks: 1, block: 8 });
    expect([...heapViews(launch.heap).u32.subarray(1024, 1032)]).toEqual([1, 1, 1, 0, 0, 0, 0, 0]);
  });
});

describe('faults', () => {
  const one = (statement: string, types: readonly string[] = ['u32', 'i32', 'addr']): string =>
    kernel(types, statement);

  it('out of bounds name the thread and the address', () => {
    const fault = faultOf(one(`store (window(u32, $1, $0.lsaRank:i32, 4000:addr) +> threadIdx.x), 1:u32`), {
      ranks: 2,
    });
    expect(fault).toMatchObject({
      kind: 'outOfBounds',
      what: 'store',
      thread: 24,
      address: 4096 + 4096,
      bytes: 4,
      region: 1,
      space: 'global',
    });
  });

  it('occur only if the program reaches them', () => {
    const text = one(`
      if (threadIdx.x < 24:u32) {
        store (window(u32, $1, $0.lsaRank:i32, 4000:addr) +> threadIdx.x), 1:u32
      }`);
    expect(heapViews(launched(text).heap).u32[(4096 + 4092) / 4]).toBe(1);
  });

  it('are found between windows, for a missing peer, and in shared and local arrays', () => {
    expect(faultOf(one(`%0 = load (window(u32, $1, 0:i32, 0:addr) +> 1024:i32)`))).toMatchObject({
      kind: 'outOfBounds',
      region: 1,
    });
    expect(faultOf(one(`%0 = load (window(u32, $1, 2:i32, 8:addr) +> 0:i32)`))).toMatchObject({
      kind: 'outOfBounds',
      region: 0,
    });
    expect(faultOf(one(`%0 = load (window(u32, $1, -1:i32, 8:addr) +> 0:i32)`))).toMatchObject({
      kind: 'outOfBounds',
      region: 0,
    });
    const arrays = (body: string): string =>
      kernel(['u32'], body, 'array #0 s: shared u32[4]\narray #1 m: local u32[2]');
    expect(faultOf(arrays(`store (#0 +> threadIdx.x), 1:u32`))).toMatchObject({
      space: 'shared',
      thread: 4,
      address: 16,
    });
    expect(faultOf(arrays(`store (#1 +> threadIdx.x), 1:u32`))).toMatchObject({
      space: 'local',
      thread: 2,
      address: 8,
    });
  });

  it('are found for misaligned accesses', () => {
    expect(faultOf(one(`%0 = load (window(u32, $1, 0:i32, 2:addr) +> 0:i32)`))).toMatchObject({
      kind: 'misaligned',
      address: 4098,
    });
    const vector = kernel(['vec(f32, 4)'], `%0 = load (window(vec(f32, 4), $1, 0:i32, 8:addr) +> threadIdx.x)`);
    expect(faultOf(vector)).toMatchObject({ kind: 'misaligned', bytes: 16 });
  });

  it('of arithmetic happen only in the selected operand', () => {
    expect(faultOf(one(`%0 = (7:u32 / (threadIdx.x - 3:u32))`))).toMatchObject({ kind: 'divideByZero', thread: 3 });
    expect(faultOf(one(`%1 = (-2147483648:i32 / (i32(threadIdx.x) - 5:i32))`))).toMatchObject({
      kind: 'overflow',
      thread: 4,
    });
    expect(faultOf(one(`%2 = (addr(threadIdx.x) - 1:addr)`))).toMatchObject({ kind: 'addressRange', thread: 0 });
    expect(faultOf(one(`%2 = addr((i32(threadIdx.x) - 1:i32))`))).toMatchObject({ kind: 'addressRange' });
    const lane = kernel(['vec(u32, 4)', 'u32'], `%1 = lane(%0, threadIdx.x)`);
    expect(faultOf(lane)).toMatchObject({ kind: 'lane', thread: 4 });
    launched(one(`%0 = select((threadIdx.x == 3:u32), 0:u32, (7:u32 / (threadIdx.x - 3:u32)))`));
    launched(one(`assert ((threadIdx.x == 3:u32) || ((7:u32 / (threadIdx.x - 3:u32)) >= 0:u32)), "x"`));
    launched(
      one(
        `assert ((threadIdx.x == 3:u32) || (lane(vec(u32, 4)[1:u32], select((threadIdx.x == 3:u32), 9:u32, 0:u32)) == 1:u32)), "x"`,
      ),
    );
  });

  it('are found for assertions and for endless loops', () => {
    expect(faultOf(one(`assert (threadIdx.x < 3:u32), "too many"`))).toMatchObject({
      kind: 'assert',
      thread: 3,
      message: 'too many',
    });
    expect(faultOf(one(`require (threadIdx.x < 3:u32), "at most three"`))).toMatchObject({
      kind: 'misuse',
      thread: 3,
      message: 'at most three',
    });
    const endless = parseModule(one('loop {\n %0 = (%0 + 1:u32)\n }'));
    const launch = testLaunch();
    expect(() => runEmitted(endless, launch, { fuel: 1000 })).toThrow(
      expect.objectContaining({ fault: expect.objectContaining({ kind: 'fuel' }) }),
    );
  });
});

describe('the wait of a stuck CTA', () => {
  it('is reported with its words and the awaited value', () => {
    const text = kernel(
      ['u32', 'u32'],
      `
      %1 = 7:u32
      wait {
        %0 = load (window(u32, $1, 0:i32, 16:addr) +> 2:i32) acquire.system
      } until (%0 >= (%1 * 2:u32))`,
    );
    for (const mode of ['auto', 'thread'] as const) {
      const [first, ...rest] = stuckOf(text, { ranks: 1, block: 3 }, mode);
      expect(rest).toEqual([]);
      expect(first).toEqual({
        site: expect.any(Number),
        kind: 'wait',
        threads: [0, 1, 2],
        words: [{ address: 4096 + 24, region: 1, space: 'global', type: 'u32', value: 0 }],
        needed: '>= 14',
      });
    }
  });

  it('is reported with the indices that do not hold, and with rolling epochs', () => {
    const text = kernel(
      ['u32', 'u32', 'u32'],
      `
      %2 = 4:u32
      waitAll cta %0 < 5:u32 {
        %1 = load (window(u32, $1, 0:i32, 0:addr) +> %0) acquire.system
      } until ((%1 - %2) <= 2147483647:u32)`,
    );
    for (const mode of ['auto', 'thread'] as const) {
      const [first] = stuckOf(text, { ranks: 1, block: 2, fill: ({ u32 }) => u32.set([9, 3, 4, 0, 9], 1024) }, mode);
      expect(first).toMatchObject({
        kind: 'waitAll',
        threads: [0, 1],
        indices: [1, 3],
        words: [{ address: 4100, value: 3 }],
        needed: '4 (rolling, 32 bits)',
      });
    }
  });

  it.each([
    ['waits', 'wait', ''],
    ['waits for several words', 'waitAll cta %2 < 1:u32', ''],
    ['runs threads that wait apart', 'wait', 'if (threadIdx.x < 1:u32)'],
  ])('may end with time only if it reads the clock, in a CTA that %s', (_, wait, guard) => {
    const flag = (word: number): string => `%1 = load window(u32, $1, 0:i32, ${4 * word}:addr) acquire.system`;
    const text = kernel(
      ['u64', 'u32', 'u32'],
      `
      ${guard === '' ? '' : `${guard} {`}
      ${wait} { ${flag(0)} } until (%1 == 1:u32)
      ${wait} {
        ${flag(1)}
        %0 = clock
      } until ((%1 == 1:u32) && (%0 > 0:u64))
      ${guard === '' ? '' : '}'}`,
    );
    for (const mode of ['auto', 'thread'] as const) {
      const flags = (first: number): LaunchOptions => ({
        ranks: 1,
        block: 2,
        fill: ({ u32 }) => u32.set([first], 1024),
      });
      expect(stuck(text, flags(0), mode).readsClock).toBe(false);
      expect(stuck(text, flags(1), mode).readsClock).toBe(true);
    }
  });

  it('lists the missing threads', () => {
    const text = kernel(
      ['u32'],
      `
      if (threadIdx.x < 35:u32) {
        sync tile(32)
      } else {
        wait {
          %0 = load (window(u32, $1, 0:i32, 0:addr) +> 0:i32) acquire.system
        } until (%0 == 1:u32)
      }`,
    );
    expect(stuckOf(text, { ranks: 1, block: 64 }).filter(({ kind }) => kind === 'sync')).toEqual([
      {
        site: expect.any(Number),
        kind: 'sync',
        threads: [32, 33, 34],
        words: [],
        needed: 'the other 29 threads of the warp',
      },
    ]);
    const cta = kernel(
      ['u32'],
      `
      if (threadIdx.x == 0:u32) {
        wait {
          %0 = load (window(u32, $1, 0:i32, 0:addr) +> 0:i32) acquire.system
        } until (%0 == 1:u32)
      }
      sync cta`,
    );
    const waiting = stuckOf(cta, { ranks: 1, block: 3 });
    expect(waiting.map(({ kind, threads, needed }) => ({ kind, threads, needed }))).toEqual([
      { kind: 'wait', threads: [0], needed: '1' },
      { kind: 'sync', threads: [1, 2], needed: 'the other 1 thread of the CTA' },
    ]);
  });
});
