import { Linter as Linter10 } from 'eslint';
import { Linter as Linter9 } from 'eslint-9';
import ncclTs from '@nccl-ts/eslint-plugin';
import { describe, expect, it } from 'vitest';

const program = `import { devComm, f32, kernel, lsa, u32, window } from 'nccl-ts';
const SCALE = 2;
export const scaled = kernel(
  { name: 'scaled', use: { lsa }, params: { comm: devComm, win: window, count: u32 } },
  ({ lsa, threadIdx, coopCta }, { win, count }) => {
    const mine = lsa.localPointer(win, f32, 0);
    for (let i = threadIdx.x; i < count; i += 32) mine.store(i, Math.max(mine.load(i), 0) * SCALE);
    coopCta.sync();
  },
);
`;

/** The part of both versions that the tests use. */
interface AnyLinter {
  verify(
    text: string,
    config: object,
    options: object,
  ): readonly {
    readonly ruleId: string | null;
    readonly message: string;
    readonly line: number;
    readonly column: number;
    readonly endColumn?: number | undefined;
    readonly suggestions?: readonly { readonly desc: string; readonly fix: { readonly text: string } }[] | undefined;
  }[];
  verifyAndFix(text: string, config: object, options: object): { readonly output: string };
}

const versions: readonly (readonly [string, AnyLinter])[] = [
  ['9', new Linter9({ configType: 'flat' })],
  ['10', new Linter10({ configType: 'flat' })],
];
const config = [ncclTs.configs.recommended];
const options = { filename: 'program.js' };

describe.for(versions)('ESLint %s', ([, linter]) => {
  it('shows the errors of the compiler at their places', () => {
    const found = linter.verify(program, config, options).map(({ ruleId, message, line, column, endColumn }) => {
      return `${line}:${column}-${endColumn} ${ruleId} ${message.slice(0, 5)}`;
    });
    expect(found).toEqual([
      '6:40-43 @nccl-ts/kernel K1006',
      '7:65-69 @nccl-ts/kernel K1008',
      '7:93-98 @nccl-ts/kernel K1005',
      '8:13-17 @nccl-ts/kernel K1101',
    ]);
  });

  it('makes the edits that leave no choice', () => {
    const { output } = linter.verifyAndFix(program, config, options);
    expect(output).toContain('({ max, f32, lsa, threadIdx, coopCta }, { win, count })');
    expect(output).toContain('mine.store(i, max(mine.load(i), 0) * SCALE)');
    expect(output).toContain('coopCta().sync()');
    const left = linter.verify(output, config, options);
    expect(left.map(({ message }) => message.slice(0, 5))).toEqual(['K1005']);
  });

  it('offers to pass a constant through use', () => {
    const [found] = linter.verify(program, config, options).filter(({ message }) => message.startsWith('K1005'));
    expect(found?.suggestions?.map(({ desc }) => desc)).toEqual(['Pass SCALE through use.']);
    expect(found?.suggestions?.map(({ fix }) => fix.text)).toEqual([
      'SCALE, lsa }, params: { comm: devComm, win: window, count: u32 } },\n  ({ SCALE, ',
    ]);
  });

  it('reports nothing in a file without kernels', () => {
    expect(linter.verify('export const x = Math.max(1, 2);', config, options)).toEqual([]);
  });
});
