import { binary, builtin, compare, constant, convert, logical, scalarType, type Expression } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { runProgram, type ProgramRun } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';

const u32 = (value: number): Expression => constant('u32', value);
const thread = builtin('threadLinear');
const lanes = Array.from({ length: 64 }, (_, thread) => thread);

/** The contribution of each thread. All differ in their low bits. */
const brought = (thread: number): number => thread * 3 + 100;

function bring(p: ThreadProgram): void {
  p.set('%r1', binary('add', binary('mul', builtin('threadLinear'), u32(3)), u32(100)));
}

type Mode = 'up' | 'down' | 'bfly' | 'idx';

/** The definition in the PTX ISA, as a program. */
function shuffled(mode: Mode, thread: number, b: number, c: number): readonly [value: number, inside: number] {
  const lane = thread % 32;
  const segment = (c >> 8) & 31;
  const last = (lane & segment) | (c & 31 & ~segment);
  const by = b & 31;
  const [j, inside] =
    mode === 'up'
      ? [lane - by, lane - by >= last]
      : mode === 'down'
        ? [lane + by, lane + by <= last]
        : mode === 'bfly'
          ? [lane ^ by, (lane ^ by) <= last]
          : [(lane & segment) | (by & ~segment), ((lane & segment) | (by & ~segment)) <= last];
  return [brought(thread - lane + (inside ? j : lane)), inside ? 1 : 0];
}

describe('shfl.sync', () => {
  const cases: (readonly [Mode, number, number])[] = [];
  for (const b of [0, 1, 5, 16, 31, 35]) {
    for (const c of [31, 0x181f, 0x1c1f, 0x100b]) {
      for (const mode of ['down', 'bfly', 'idx'] as const) cases.push([mode, b, c]);
    }
    for (const c of [0, 0x1800, 0x1004]) cases.push(['up', b, c]);
  }

  it('takes the value of the lane given by mode, distance and clamp, and reports if there is one', async () => {
    for (let first = 0; first < cases.length; first += 4) {
      const some = cases.slice(first, first + 4);
      const { out } = await runProgram((p) => {
        bring(p);
        some.forEach(([mode, b, c], index) => {
          p.ptx(`shfl.sync.${mode}.b32 %r2|%p1, %r1, ${b}, ${c}, -1`);
          p.out(2 * index, p.get('%r2'));
          p.out(2 * index + 1, p.get('%p1'));
        });
      });
      some.forEach(([mode, b, c], index) => {
        const wanted = lanes.map((thread) => shuffled(mode, thread, b, c));
        expect(out[2 * index], `${mode} ${b} ${c}`).toEqual(wanted.map(([value]) => value));
        expect(out[2 * index + 1], `${mode} ${b} ${c}`).toEqual(wanted.map(([, inside]) => inside));
      });
    }
  });

  it.each(['js', 'wasm'] as const)(
    'reads registers before it sets them, with a mask in a register: %s',
    async (engine) => {
      const { out } = await runProgram(
        (p) => {
          bring(p);
          p.set('%r3', binary('add', builtin('laneId'), u32(1)));
          p.set('%r4', u32(0x0000ffff));
          p.set('%r5', binary('shr', builtin('laneId'), u32(4)));
          p.set('%p2', compare('eq', p.get('%r5'), u32(0)));
          p.ptx('@%p2 shfl.sync.idx.b32 %r3|%p3, %r1, %r3, 0x100f, %r4');
          p.out(0, p.get('%r3'));
        },
        { engine },
      );
      expect(out[0]).toEqual(
        lanes.map((thread) =>
          thread % 32 < 16 ? brought(thread - (thread % 32) + ((thread + 1) % 16)) : (thread % 32) + 1,
        ),
      );
    },
  );
});

describe('votes', () => {
  /** Votes yes in lanes 3 and 5 of the first warp, and in all lanes of the second. */
  function vote(p: ThreadProgram): void {
    p.set('%r1', builtin('threadLinear'));
    const test = (op: 'eq' | 'ge', right: number): Expression => compare(op, p.get('%r1'), u32(right));
    const or = (left: Expression, right: Expression): Expression => logical('or', left, right);
    p.set('%p1', or(test('ge', 32), or(test('eq', 3), test('eq', 5))));
  }

  const byWarp = (first: number, second: number): number[] => lanes.map((thread) => (thread < 32 ? first : second));

  it('report if all, any or equally many lanes vote true, and which', async () => {
    const { out } = await runProgram((p) => {
      vote(p);
      p.ptx(
        'vote.sync.all.pred %p2, %p1, -1',
        'vote.sync.any.pred %p3, !%p1, 0xffffffff',
        'vote.sync.uni.pred %p4, %p1, -1',
        'vote.sync.ballot.b32 %r2, !%p1, -1',
        'activemask.b32 %r3',
      );
      ['%p2', '%p3', '%p4', '%r2', '%r3'].forEach((register, slot) => p.out(slot, p.get(register)));
    });
    expect(out.slice(0, 5)).toEqual([
      byWarp(0, 1),
      byWarp(1, 0),
      byWarp(0, 1),
      byWarp(~0b101000 >>> 0, 0),
      byWarp(0xffffffff, 0xffffffff),
    ]);
  });

  it('elect the first lane of the mask', async () => {
    const { out } = await runProgram((p) => {
      p.set('%r1', u32(0xffff0000));
      p.when(compare('ge', builtin('laneId'), u32(16)), () => p.ptx('elect.sync %r2|%p1, %r1'));
      p.ptx('elect.sync _|%p2, -1');
      ['%r2', '%p1', '%p2'].forEach((register, slot) => p.out(slot, p.get(register)));
    });
    expect(out.slice(0, 3)).toEqual([
      lanes.map((thread) => (thread % 32 < 16 ? 0 : 16)),
      lanes.map((thread) => (thread % 32 === 16 ? 1 : 0)),
      lanes.map((thread) => (thread % 32 === 0 ? 1 : 0)),
    ]);
  });

  it('find the lanes with the same value', async () => {
    const { out } = await runProgram((p) => {
      p.set('%r1', binary('and', builtin('threadLinear'), u32(3)));
      p.ptx('match.any.sync.b32 %r2, %r1, -1');
      p.set('%r3', binary('shr', builtin('threadLinear'), u32(5)));
      p.set('%rd1', convert(scalarType('u64'), p.get('%r3')));
      p.ptx('match.all.sync.b64 %r4|%p1, %rd1, -1', 'match.all.sync.b32 %r5|%p2, %r1, -1');
      ['%r2', '%r4', '%p1', '%r5', '%p2'].forEach((register, slot) => p.out(slot, p.get(register)));
    });
    expect(out.slice(0, 5)).toEqual([
      lanes.map((thread) => (0x11111111 << (thread % 4)) >>> 0),
      byWarp(0xffffffff, 0xffffffff),
      byWarp(1, 1),
      byWarp(0, 0),
      byWarp(0, 0),
    ]);
  });
});

describe('redux.sync', () => {
  const run: ProgramRun = { block: 48 };
  const values = (warp: number, size: number): number[] =>
    Array.from({ length: size }, (_, lane) => ((32 * warp + lane) * 2654435761) >>> 0);
  const all = (combine: (a: number, b: number) => number): number[] =>
    [32, 16].flatMap((size, warp) => Array.from({ length: size }, () => values(warp, size).reduce(combine) >>> 0));

  it('combines the lanes of the block', async () => {
    const { out } = await runProgram((p) => {
      p.set('%r1', binary('mul', builtin('threadLinear'), u32(2654435761)));
      ['add.u32', 'min.u32', 'max.u32', 'min.s32', 'max.s32', 'and.b32', 'or.b32', 'xor.b32'].forEach((op, slot) => {
        p.ptx(`redux.sync.${op} %r2, %r1, -1`);
        p.out(slot, p.get('%r2'));
      });
    }, run);
    expect(out).toEqual([
      all((a, b) => a + b),
      all((a, b) => Math.min(a, b)),
      all((a, b) => Math.max(a, b)),
      all((a, b) => Math.min(a | 0, b | 0)),
      all((a, b) => Math.max(a | 0, b | 0)),
      all((a, b) => a & b),
      all((a, b) => a | b),
      all((a, b) => a ^ b),
    ]);
  });

  it('combines numbers that are all negative, or all positive', async () => {
    const { out } = await runProgram((p) => {
      p.set('%r1', binary('add', thread, u32(5)));
      p.set('%r3', binary('sub', thread, u32(200)));
      p.ptx('redux.sync.min.s32 %r2, %r1, -1', 'redux.sync.max.s32 %r4, %r3, -1');
      p.out(0, p.get('%r2'));
      p.out(1, p.get('%r4'));
    }, run);
    expect([out[0]?.[0], out[0]?.[40], out[1]?.[0], out[1]?.[40]]).toEqual([5, 37, -169 >>> 0, -153 >>> 0]);
  });
});
