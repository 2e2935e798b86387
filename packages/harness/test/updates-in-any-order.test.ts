import { check } from '@nccl-ts/checker';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Both ranks update a word of rank 0, in 32 threads each. */
async function provenBy(updates: string): Promise<string> {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem)
{
  .reg .b32 %r<8>; .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mem]; mov.u32 %r1, %tid.x;
  ${updates} ret;
}
`;
  const launch = harness({
    entry: 'k',
    ranks: 2,
    grid: 1,
    block: 32,
    setup: ({ alloc, peer }) => ({ args: [peer(alloc('x', u32, 16), 0)] }),
  });
  const { verdict, proves } = await check(
    { ranks: 2 },
    harnessProgram(launch, translate(launch, text, { name: 'k.ptx' })),
  );
  return `${verdict}: ${proves.kind}`;
}

/** The quick tests have the first. */
const isNow = (_: unknown, i: number): boolean => (i === 0) !== inject('slow');

describe('updates of a word by two ranks', () => {
  it.each(['max.s32', 'min.u32', 'and.b32', 'or.b32', 'xor.b32', 'add.u32'].filter(isNow))(
    'give the same in any order, so one run proves it: %s',
    async (op) => {
      expect(await provenBy(`red.relaxed.sys.global.${op} [%rd1], %r1;`)).toBe('clean: all schedules');
      expect(await provenBy(`atom.relaxed.sys.global.${op} %r2, [%rd1], %r1;`)).toBe('clean: all schedules');
    },
  );

  it.each(
    [
      ['two functions', 'red.relaxed.sys.global.max.u32 [%rd1], %r1; red.relaxed.sys.global.or.b32 [%rd1], %r1;'],
      [
        'signed and unsigned',
        'red.relaxed.sys.global.max.u32 [%rd1], %r1; red.relaxed.sys.global.max.s32 [%rd1], %r1;',
      ],
      [
        'a result that is stored',
        'atom.relaxed.sys.global.max.u32 %r2, [%rd1], %r1; st.relaxed.sys.global.u32 [%rd1+4], %r2;',
      ],
      ['an exchange', 'atom.relaxed.sys.global.exch.b32 %r2, [%rd1], %r1;'],
    ].filter(isNow),
  )('may give different values in another order, so schedules are tried: %s', async (_, updates) => {
    expect(await provenBy(updates)).toBe('clean: portfolio');
  });
});
