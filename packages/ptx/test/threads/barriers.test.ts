import { binary, compare, scalarType } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { checkProgram, exploreProgram, runProgram } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';
import { load, store, thread, u32 } from './support/barriers.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Some threads each write a word, synchronize, and read their neighbour's word. */
function neighbours(p: ThreadProgram, mask: number, ...meet: readonly string[]): void {
  store(p, thread, binary('add', thread, u32(1)));
  p.ptx(...meet);
  p.out(0, load(p, binary('xor', thread, u32(mask))));
}

const swapped = (mask: number): number[] => Array.from({ length: 64 }, (_, i) => (i ^ mask) + 1);

describe('threads at a barrier', () => {
  it.each([
    ['bar.sync 0', 63],
    ['barrier.sync.aligned 3', 63],
    ['barrier.cta.sync 0', 63],
    ['bar.sync 1, 64', 63],
    ['barrier.sync 1, 64', 63],
    ['bar.cta.sync 15, %ntid.x', 63],
    ['bar.warp.sync -1', 31],
    ['bar.warp.sync 0xffffffff', 31],
  ])("see each other's writes: %s", async (meet, mask) => {
    const program = (p: ThreadProgram): void => neighbours(p, mask, meet);
    expect((await runProgram(program)).out[0]).toEqual(swapped(mask));
    expect((await runProgram(program, { engine: 'wasm' })).out[0]).toEqual(swapped(mask));
    expect(await checkProgram(program, { strategy: 'late' })).toEqual([]);
  });

  it("see each other's writes at a cluster barrier of one block", async () => {
    const program = (p: ThreadProgram): void =>
      neighbours(p, 63, 'barrier.cluster.arrive.release.aligned', 'barrier.cluster.wait.acquire.aligned');
    expect(await checkProgram(program)).toEqual([]);
    expect((await runProgram(program)).out[0]).toEqual(swapped(63));
  });

  it('race without a barrier, or with the wrong one', async () => {
    const kinds = async (meet: string): Promise<readonly unknown[]> => {
      const findings = await checkProgram((p) => neighbours(p, 63, meet), { strategy: 'late' });
      return findings.map(({ kind }) => kind);
    };
    expect(await kinds('nanosleep.u32 20')).toContain('race');
    expect(await kinds('bar.sync 1, 32')).toContain('race');
  });

  it('can reuse a barrier of some threads', async () => {
    const program = (p: ThreadProgram): void => {
      p.set('%r1', binary('add', binary('shr', thread, u32(5)), u32(1)));
      store(p, thread, thread);
      for (let round = 0; round < 5; round++) {
        // Each warp has its own barrier.
        p.ptx('bar.sync %r1, 32');
        const value = load(p, binary('xor', thread, u32(1)));
        p.ptx('barrier.sync %r1, 32');
        store(p, thread, binary('add', value, u32(100)));
      }
      p.out(0, load(p, thread));
    };
    const expected = Array.from({ length: 64 }, (_, i) => (i ^ 1) + 500);
    expect((await runProgram(program)).out[0]).toEqual(expected);
    expect(await checkProgram(program)).toEqual([]);
  });
});

describe('bar.red', () => {
  it.each(['js', 'wasm'] as const)('counts and combines votes of the block repeatedly: %s', async (engine) => {
    const { out } = await runProgram(
      (p) => {
        for (const [slot, least] of [60, 10, 0].entries()) {
          p.set('%p1', compare('ge', thread, u32(least)));
          p.ptx(
            'bar.red.popc.u32 %r1, 0, %p1',
            'barrier.cta.red.and.aligned.pred %p2, 0, %p1',
            'bar.red.or.pred %p3, 1, !%p1',
          );
          p.out(slot, p.get('%r1'));
          p.set('%r2', { kind: 'convert', type: scalarType('u32'), operand: p.get('%p2') });
          p.set('%r3', { kind: 'convert', type: scalarType('u32'), operand: p.get('%p3') });
          p.out(slot + 3, binary('add', p.get('%r2'), binary('mul', p.get('%r3'), u32(10))));
        }
      },
      { engine },
    );
    expect(out.map(([first]) => first).slice(0, 6)).toEqual([4, 54, 64, 10, 10, 1]);
    for (const slot of out) expect(new Set(slot).size).toBe(1);
  });

  it('races with no other access', async () => {
    const program = (p: ThreadProgram): void => {
      p.set('%p1', compare('ge', thread, u32(7)));
      p.ptx('bar.red.popc.u32 %r1, 0, %p1', 'bar.red.popc.u32 %r2, 0, !%p1');
      p.out(0, binary('add', p.get('%r1'), p.get('%r2')));
    };
    expect(await checkProgram(program)).toEqual([]);
    expect((await runProgram(program)).out[0]?.[63]).toBe(64);
  });

  it.for(slow)('votes in every execution at a barrier at which threads arrive in another phase', async () => {
    const program = (p: ThreadProgram): void => {
      p.set('%p1', compare('ge', thread, u32(7)));
      p.ptx('bar.red.popc.u32 %r1, 2, 64, %p1');
      p.when(compare('ge', thread, u32(32)), () => p.ptx('bar.arrive 2, 64'));
      p.when(compare('lt', thread, u32(32)), () => p.ptx('bar.sync 2, 64'));
      // Otherwise threads could reduce while others are still at the barrier.
      p.ptx('bar.sync 3');
      p.ptx('bar.red.popc.u32 %r2, 2, 64, !%p1');
      const isRight = compare('eq', binary('add', p.get('%r1'), p.get('%r2')), u32(64));
      p.emit({ kind: 'assert', condition: isRight, message: 'fewer votes', span: p.span });
    };
    expect(await exploreProgram(program, 20)).toEqual([]);
  });

  it.each<[least: number, kinds: readonly string[]]>([
    [7, []],
    [8, ['fault']],
  ])('votes at several lines in every execution, where %i threads do not', async (least, kinds) => {
    const program = (p: ThreadProgram): void => {
      p.set('%p1', compare('ge', thread, u32(least)));
      p.ptx('bar.red.and.pred %p2, 0, %p1', 'bar.red.or.pred %p3, 0, !%p1', 'bar.red.popc.u32 %r1, 0, %p1');
      const isRight = compare('eq', p.get('%r1'), u32(57));
      p.emit({ kind: 'assert', condition: isRight, message: 'fewer votes', span: p.span });
    };
    expect((await exploreProgram(program, 20)).map(({ kind }) => kind)).toEqual(kinds);
  });
});
