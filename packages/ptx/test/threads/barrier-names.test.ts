import {
  addressPointer,
  binary,
  builtin,
  compare,
  constant,
  param,
  pointerOffset,
  scalarType,
  type Expression,
} from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { checkProgram, exploreProgram, runProgram } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const u32 = (value: number): Expression => constant('u32', value);
const thread = builtin('threadLinear');
const words = addressPointer(scalarType('u32'), param(1, scalarType('u64')));

interface Parted {
  /** Threads below `limit` run the first text, and the others run the second. */
  readonly border?: number;
  /** Each thread reads the word that thread `i ^ mask` has written. */
  readonly mask?: number;
}

function parted(
  below: readonly string[],
  above: readonly string[],
  { border = 32, mask = 63 }: Parted = {},
): (p: ThreadProgram) => void {
  return (p) => {
    p.set('%r1', binary('add', binary('shr', thread, u32(6)), u32(3)));
    p.set('%p1', compare('ge', thread, u32(40)));
    p.emit({ kind: 'store', pointer: pointerOffset(words, thread), value: thread, span: p.span });
    p.when(compare('lt', thread, u32(border)), () => p.ptx(...below));
    p.when(compare('ge', thread, u32(border)), () => p.ptx(...above));
    const id = p.local('loaded', scalarType('u32'));
    const pointer = pointerOffset(words, binary('xor', thread, u32(mask)));
    p.emit({ kind: 'load', local: id, pointer, span: p.span });
    p.out(0, { kind: 'local', type: scalarType('u32'), local: id });
    p.out(1, p.get('%r2'));
  };
}

const warpHalves = { border: 16, mask: 16 };

describe('threads at different instructions of one barrier', () => {
  const fitting: readonly [below: string, above: string, parts?: Parted][] = [
    ['bar.sync 0', 'barrier.cta.sync.aligned 0'],
    ['bar.sync 1, 64', 'bar.sync 1, 64'],
    ['bar.sync %r1, 64', 'barrier.sync 3, 64'],
    ['barrier.cta.sync 0', 'barrier.sync 0'],
    ['barrier.sync 0', 'barrier.sync 0', { border: 16 }],
    ['barrier.sync 7, 64', 'barrier.sync 7, %ntid.x', { border: 48 }],
    ['bar.warp.sync -1', 'bar.warp.sync 0xffffffff', warpHalves],
    ['bar.red.popc.u32 %r2, 2, %p1', 'bar.red.popc.u32 %r2, 2, %p1'],
    ['bar.red.popc.u32 %r2, 3, 64, %p1', 'barrier.red.popc.u32 %r2, %r1, 64, %p1'],
  ];
  it.each(fitting.filter((_, i) => (i % 4 === 0) !== inject('slow')))(
    'synchronize: %s, %s',
    async (below, above, parts = {}) => {
      const program = parted([below], [above], parts);
      const { out } = await runProgram(program);
      expect(out[0]).toEqual(Array.from({ length: 64 }, (_, i) => i ^ (parts.mask ?? 63)));
      if (below.includes('popc')) expect(new Set(out[1])).toEqual(new Set([24]));
      expect(await checkProgram(program, { strategy: 'late' })).toEqual([]);
      expect(await exploreProgram(program)).toEqual([]);
    },
  );

  it.each(['bar.sync 0', 'bar.sync 1, 64'].filter((_, i) => (i === 0) !== inject('slow')))(
    'synchronize in WebAssembly: %s',
    async (barrier) => {
      const { out } = await runProgram(parted([barrier], [barrier]), { engine: 'wasm' });
      expect(out[0]).toEqual(Array.from({ length: 64 }, (_, i) => i ^ 63));
    },
  );

  it.for(quick)('synchronize with threads that only arrive, even without a number of threads', async () => {
    const program = parted(['bar.arrive 4, 64', 'bar.sync 5'], ['bar.sync 4', 'bar.sync 5'], { mask: 32 });
    expect((await runProgram(program)).out[0]?.slice(32)).toEqual(Array.from({ length: 32 }, (_, i) => i));
    expect(await checkProgram(program, { strategy: 'late' })).toEqual([]);
  });

  it.for(quick)('fail if a register counts threads at a barrier that the others use without a number', async () => {
    const program = parted(['bar.arrive 4, 64', 'bar.sync 3'], ['bar.sync %r1, 64']);
    await expect(runProgram(program)).rejects.toThrow(/bar\.sync is at barrier 3/u);
  });

  it.for(quick)('end, and leave a barrier to the remaining threads', async () => {
    const program = parted(['bar.sync 0', 'bar.sync 1, 32'], [], { border: 16, mask: 8 });
    expect((await runProgram(program)).out[0]?.slice(0, 16)).toEqual(Array.from({ length: 16 }, (_, i) => i ^ 8));
    // The words of the others are not ordered.
    const kinds = (await exploreProgram(program)).map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set(['race']));
  });

  const unfit: readonly [below: string, above: string, needed: RegExp, parts?: Parted][] = [
    ['bar.sync 0', 'bar.sync 1', /the other 32 threads of the CTA at barrier 0/u],
    ['bar.sync 1, 64', 'nanosleep.u32 20', /32 more of 64 threads at barrier 1/u],
    ['bar.sync 1, 96', 'bar.sync 1, 96', /32 more of 96 threads at barrier 1/u],
    ['bar.sync 3, 64', 'bar.sync %r1, 96', /32 more of 96 threads at barrier 3/u],
    ['barrier.sync 2', 'barrier.sync 2, 32', /exactly 32 threads at barrier 2, where 64 are/u],
    ['bar.sync 0', 'bar.sync 0', /because those at barrier 0 are aligned/u, { border: 16 }],
    ['bar.red.popc.u32 %r2, 0, %p1', 'bar.sync 0', /the other 32 threads of the CTA at barrier 0/u],
    // Lanes that had ended would not be awaited, so these go on.
    ['bar.warp.sync 0xffff; bar.sync 0', 'bar.warp.sync -1', /threads of the (?:warp|lanes)/u, warpHalves],
  ];
  it.each(unfit.filter((_, i) => (i % 4 === 0) !== inject('slow')))(
    'deadlock if their barriers do not fit: %s, %s',
    async (below, above, needed, parts = {}) => {
      const program = parted(below.split('; '), [above, 'nanosleep.u32 20'], parts);
      await expect(runProgram(program)).rejects.toThrow(needed);
      const finding = (await exploreProgram(program)).find(({ kind }) => kind === 'deadlock');
      expect(JSON.stringify(finding?.deadlock?.waiting.map(({ needed: text }) => text))).toMatch(needed);
    },
  );

  it.for(quick)('race if each has a separate barrier', async () => {
    const program = parted(['bar.sync 1, 32'], ['bar.sync 2, 32']);
    expect((await checkProgram(program, { strategy: 'random' })).map(({ kind }) => kind)).toContain('race');
  });
});
