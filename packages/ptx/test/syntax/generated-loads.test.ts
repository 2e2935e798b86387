import { parsePtx } from '@nccl-ts/ptx';
import { describe, expect, test } from 'vitest';

/** The lines of the instructions of a kernel whose assembly begins in line 14. */
function linesOf(assembly: readonly string[]): readonly (readonly [word: string, line: number | undefined])[] {
  const text = `.version 8.5
.target sm_90
.address_size 64
.file 1 "kernel.py"
.visible .entry k(.param .u64 data)
{
  .reg .pred %p<2>;
  .reg .b32 %r<9>;
  .reg .b64 %rd<3>;
  .loc 1 10 3
  ld.param.u64 %rd1, [data];
  mov.b32 %r5, 0;
  .loc 1 14 13
  // begin inline asm
${assembly.map((line, i) => `  .loc 1 ${14 + i} 13\n  ${line}`).join('\n')}
  // end inline asm
  mov.b32 %r6, %r1;
  .loc 1 30 1
  ret;
}
`;
  const { module, diagnostics } = parsePtx(text, 'k.ptx');
  expect(diagnostics).toEqual([]);
  const items = module?.functions[0]?.body?.items ?? [];
  return items.flatMap((item) =>
    item.kind === 'instruction' ? [[item.words.join('.'), item.location?.line] as const] : [],
  );
}

describe('inline assembly', () => {
  test('that a compiler made for a masked load is in one line, and what follows it too', () => {
    const load = [
      'mov.u32 %r1, %r5;',
      'mov.u32 %r2, %r5;',
      'mov.u32 %r3, 0x0;',
      'mov.u32 %r4, %r5;',
      '@%p1 ld.global.v4.b32 { %r1, %r2, %r3, %r4 }, [ %rd1 + 0 ];',
    ];
    expect(linesOf(load).map(([, line]) => line)).toEqual([10, 10, 14, 14, 14, 14, 14, 14, 30]);
  });

  test.each([
    { what: 'stores', assembly: ['mov.u32 %r1, %r5;', 'st.global.b32 [ %rd1 + 0 ], { %r1 };'] },
    { what: 'loads something else', assembly: ['mov.u32 %r1, %r5;', 'ld.global.b32 { %r2 }, [ %rd1 + 0 ];'] },
    { what: 'loads by itself', assembly: ['add.u32 %r1, %r5, 1;', 'ld.global.b32 { %r1 }, [ %rd1 + 0 ];'] },
    { what: 'goes on', assembly: ['mov.u32 %r1, 0;', 'ld.global.b32 { %r1 }, [ %rd1 + 0 ];', 'membar.sys;'] },
  ])('that its author wrote has its own lines, where it $what', ({ assembly }) => {
    const lines = linesOf(assembly)
      .slice(2, 2 + assembly.length)
      .map(([, line]) => line);
    expect(lines).toEqual(assembly.map((_, i) => 14 + i));
  });

  test('has an end', () => {
    expect(parsePtx('// begin inline asm', 'k.ptx').diagnostics.length).toBeGreaterThan(0);
  });
});
