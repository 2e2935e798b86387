import { binary, builtin, constant, local, scalarType, type Expression } from '@nccl-ts/ir';
import { describe, expect, inject, it } from 'vitest';
import { checkProgram, runProgram } from './support/run-program.ts';
import type { ThreadProgram } from './support/thread-program.ts';

const u32 = (value: number): Expression => constant('u32', value);
const lane = builtin('laneId');
const block = 32;
const lanes = Array.from({ length: block }, (_, i) => i);

/** The element of matrix `k` at a row and a column. */
const element = (k: number, row: number, column: number): number => 1000 + 64 * k + 8 * row + column;
const pair = (low: number, high: number): number => (low + high * 0x10000) >>> 0;

/** The register of a lane for matrix `k`, by the PTX ISA. */
const part = (k: number, at: number, isTransposed: boolean): number => {
  const [major, minor] = [at >> 2, 2 * (at & 3)];
  return isTransposed
    ? pair(element(k, minor, major), element(k, minor + 1, major))
    : pair(element(k, major, minor), element(k, major, minor + 1));
};

/** Word `word` of shared memory from the address in a register on. */
function shared(p: ThreadProgram, register: string, word: number, access: (pointer: Expression) => void): void {
  const base = { kind: 'register', name: register } as const;
  p.memory({ kind: 'address', base, offset: BigInt(4 * word) }, 'shared', scalarType('u32'), access);
}

function store(p: ThreadProgram, word: number, value: Expression): void {
  shared(p, '%r1', word, (pointer) => p.emit({ kind: 'store', pointer, value, span: p.span }));
}

function load(p: ThreadProgram, register: string, word: number): Expression {
  const id = p.local('read', scalarType('u32'));
  shared(p, register, word, (pointer) => p.emit({ kind: 'load', local: id, pointer, span: p.span }));
  return local(id, scalarType('u32'));
}

/** Lane `8 * k + row` stores a row of matrix `k`. `%r1` is its address. */
function storeRows(p: ThreadProgram): void {
  p.set('%r1', binary('mul', lane, u32(16)));
  for (const word of [0, 1, 2, 3]) {
    const first = binary('add', binary('mul', lane, u32(8)), u32(1000 + 2 * word));
    p.set('%r2', binary('add', first, binary('shl', binary('add', first, u32(1)), u32(16))));
    store(p, word, p.get('%r2'));
  }
  p.ptx('bar.sync 0');
}

describe('ldmatrix', () => {
  it.each(
    (
      [
        ['x1', 1, false],
        ['x2', 2, false],
        ['x4', 4, false],
        ['x1.trans', 1, true],
        ['x2.trans', 2, true],
        ['x4.trans', 4, true],
      ] as const
    ).filter((_, i) => (i % 3 === 0) !== inject('slow')),
  )('loads the parts of each lane: %s', async (words, count, isTransposed) => {
    const registers = ['%r3', '%r4', '%r5', '%r6'].slice(0, count);
    const program = (p: ThreadProgram): void => {
      storeRows(p);
      p.ptx(`ldmatrix.sync.aligned.m8n8.${words}.shared.b16 {${registers.join(', ')}}, [%r1]`);
      registers.forEach((register, k) => p.out(k, p.get(register)));
    };
    const { out } = await runProgram(program, { block });
    registers.forEach((_, k) => expect(out[k]).toEqual(lanes.map((at) => part(k, at, isTransposed))));
    expect(await checkProgram(program, { block })).toEqual([]);
  });

  it('races with stores of other lanes without a barrier', async () => {
    const program = (p: ThreadProgram): void => {
      p.set('%r1', binary('mul', lane, u32(16)));
      for (const word of [0, 1, 2, 3]) store(p, word, lane);
      p.ptx('ldmatrix.sync.aligned.m8n8.x1.shared::cta.b16 {%r3}, [%r1]');
      p.out(0, p.get('%r3'));
    };
    expect((await checkProgram(program, { block })).map(({ kind }) => kind)).toContain('race');
  });

  it.each([
    ['ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r3}, [%r1]', 'needs 2 registers'],
    ['ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r3, %r4}, [%r1]', 'm16n16'],
    ['ldmatrix.aligned.m8n8.x1.shared.b16 {%r3}, [%r1]', 'needs .sync'],
  ])('is refused: %s', async (text, why) => {
    await expect(runProgram((p) => p.ptx(text), { block })).rejects.toThrow(why);
  });
});

describe('stmatrix', () => {
  it.each([
    ['x1', 1, false],
    ['x4', 4, false],
    ['x2.trans', 2, true],
    ['x4.trans', 4, true],
  ] as const)('is the opposite of ldmatrix: %s', async (words, count, isTransposed) => {
    const registers = ['%r3', '%r4', '%r5', '%r6'].slice(0, count);
    const program = (p: ThreadProgram): void => {
      storeRows(p);
      p.ptx(
        `ldmatrix.sync.aligned.m8n8.${words}.shared.b16 {${registers.join(', ')}}, [%r1]`,
        'bar.sync 0',
        `stmatrix.sync.aligned.m8n8.x${count}.shared.b16 [%r1+512], {${registers.join(', ')}}`,
        'bar.sync 0',
      );
      p.set('%r7', binary('add', p.get('%r1'), u32(512)));
      for (const word of [0, 1, 2, 3]) p.out(word, load(p, '%r7', word));
    };
    const { out } = await runProgram(program, { block });
    for (const word of [0, 1, 2, 3]) {
      const wanted = lanes.slice(0, 8 * count).map((at) => {
        const [k, row] = [at >> 3, at & 7];
        return isTransposed
          ? pair(element(k, 2 * word, row), element(k, 2 * word + 1, row))
          : pair(element(k, row, 2 * word), element(k, row, 2 * word + 1));
      });
      expect(out[word]?.slice(0, 8 * count)).toEqual(wanted);
    }
  });

  it('transposes', async () => {
    const { out } = await runProgram(
      (p) => {
        storeRows(p);
        p.ptx(
          'ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r3, %r4, %r5, %r6}, [%r1]',
          'bar.sync 0',
          'stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%r1], {%r3, %r4, %r5, %r6}',
          'bar.sync 0',
        );
        for (const word of [0, 1, 2, 3]) p.out(word, load(p, '%r1', word));
      },
      { block },
    );
    for (const word of [0, 1, 2, 3])
      expect(out[word]).toEqual(
        lanes.map((at) => pair(element(at >> 3, 2 * word, at & 7), element(at >> 3, 2 * word + 1, at & 7))),
      );
  });
});

describe('movmatrix', () => {
  it('transposes a matrix in registers', async () => {
    const { out } = await runProgram(
      (p) => {
        storeRows(p);
        p.ptx(
          'ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r3}, [%r1]',
          'movmatrix.sync.aligned.m8n8.trans.b16 %r3, %r3',
        );
        p.out(0, p.get('%r3'));
      },
      { block },
    );
    expect(out[0]).toEqual(lanes.map((at) => part(0, at, true)));
  });
});
