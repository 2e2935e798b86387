import {
  addressPointer,
  binary,
  builtin,
  compare,
  constant,
  local,
  param,
  pointerOffset,
  scalarType,
  type Expression,
} from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { checkProgram, exploreProgram, runProgram } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';

const u32 = (value: number): Expression => constant('u32', value);
const thread = builtin('threadLinear');
const words = addressPointer(scalarType('u32'), param(1, scalarType('u64')));
const FLAG = pointerOffset(words, u32(63));
const block = 96;

function between(p: ThreadProgram, first: number, end: number, then: () => void): void {
  p.when(compare('ge', thread, u32(first)), () => p.when(compare('lt', thread, u32(end)), then));
}

function load(p: ThreadProgram, index: Expression): Expression {
  const id = p.local('loaded', scalarType('u32'));
  p.emit({ kind: 'load', local: id, pointer: pointerOffset(words, index), span: p.span });
  return local(id, scalarType('u32'));
}

function store(p: ThreadProgram, index: Expression): void {
  p.emit({ kind: 'store', pointer: pointerOffset(words, index), value: thread, span: p.span });
}

function wait(p: ThreadProgram): void {
  const id = p.local('flag', scalarType('u32'));
  const access = { order: 'acquire', scope: 'block' } as const;
  p.emit({
    kind: 'wait',
    body: [{ kind: 'load', local: id, pointer: FLAG, access, span: p.span }],
    condition: compare('eq', local(id, scalarType('u32')), u32(1)),
    span: p.span,
  });
}

function raise(p: ThreadProgram): void {
  const access = { order: 'release', scope: 'block' } as const;
  p.when(compare('eq', thread, u32(0)), () =>
    p.emit({ kind: 'store', pointer: FLAG, value: u32(1), access, span: p.span }),
  );
}

interface ThirdWarp {
  /** True if half of the third warp comes to the barrier after the first two have met there. */
  readonly waits: boolean;
  /** When the first warp releases that half: between its two barriers, or after both. */
  readonly raises: 'between' | 'after';
}

/** The first warp meets the second at a barrier of 64 threads, and then the third. */
const thirdWarp =
  ({ waits, raises }: ThirdWarp) =>
  (p: ThreadProgram): void => {
    p.set('%r1', u32(0));
    between(p, 0, 32, () => {
      store(p, thread);
      p.ptx('barrier.sync 1, 64');
      between(p, 0, 16, () => store(p, binary('add', thread, u32(32))));
      if (raises === 'between') raise(p);
      p.ptx('barrier.sync 1, 64');
      if (raises === 'after') raise(p);
    });
    between(p, 32, 64, () => {
      p.ptx('barrier.sync 1, 64');
      p.set('%r1', load(p, binary('xor', thread, u32(32))));
    });
    between(p, 64, 80, () => {
      p.ptx('barrier.sync 1, 64');
      p.set('%r1', load(p, binary('sub', thread, u32(32))));
    });
    between(p, 80, 96, () => {
      if (waits) wait(p);
      p.ptx('barrier.sync 1, 64');
    });
    p.out(0, p.get('%r1'));
  };

describe('a barrier at which threads of a last warp of 8 arrive', () => {
  it.each([
    ['which wait, and others only arrive', 'barrier.cta.arrive 1, 64', 'barrier.cta.sync 1, 64'],
    ['which only arrive, and others wait', 'barrier.cta.sync 1, 64', 'barrier.cta.arrive 1, 64'],
  ])('counts the warp as 32 threads: %s', async (_, first, last) => {
    const program = (p: ThreadProgram): void => {
      p.set('%r1', u32(0));
      between(p, 0, 32, () => p.ptx(first));
      between(p, 32, 40, () => p.ptx(last));
      p.out(0, thread);
    };
    const { out } = await runProgram(program, { block: 40 });
    expect(out[0]).toEqual([...Array(40).keys()]);
    expect(await checkProgram(program, { block: 40, strategy: 'late' })).toEqual([]);
  });
});

describe('a barrier of 64 threads, and a warp of which half has arrived', () => {
  it('synchronizes two other warps, then the first of them with the third', async () => {
    const right = thirdWarp({ waits: true, raises: 'between' });
    const { out } = await runProgram(right, { block });
    expect(out[0]?.slice(32, 80)).toEqual([...Array(32).keys(), ...Array(16).keys()]);
    expect(await checkProgram(right, { block, strategy: 'late' })).toEqual([]);
    expect(await exploreProgram(right, 2, { block })).toEqual([]);
  });

  const wrongs: readonly [kind: string, why: string, third: ThirdWarp][] = [
    ['race', 'the other half may come before the first two have met', { waits: false, raises: 'between' }],
    ['deadlock', 'the other half never comes', { waits: true, raises: 'after' }],
  ];

  it.each(wrongs.filter(([kind]) => (kind === 'deadlock') !== inject('slow')))(
    'is a %s if %s',
    async (kind, _, third) => {
      const wrong = thirdWarp(third);
      expect((await checkProgram(wrong, { block })).map((finding) => finding.kind)).toContain(kind);
      expect((await exploreProgram(wrong, 2, { block })).map((finding) => finding.kind)).toContain(kind);
    },
  );
});
