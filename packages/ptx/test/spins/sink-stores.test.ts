import { walkBody, type Statement } from '@nccl-ts/ir';
import { describe, expect, it } from 'vitest';
import { importKernel, parsePtx } from '../../src/index.ts';

/** A loop that polls 16 bytes into an array of the thread, at an index of the run time. */
function kinds(round: string): ReadonlySet<Statement['kind']> {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem, .param .u32 slot)
{
  .local .align 16 .b8 kept[64];
  .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %r<16>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [mem]; ld.param.u32 %r1, [slot];
  mov.u64 %rd2, kept; mul.wide.u32 %rd3, %r1, 16; add.s64 %rd4, %rd2, %rd3; mov.u32 %r9, 0;
WAIT:
  ld.volatile.global.v4.u32 {%r2, %r3, %r4, %r5}, [%rd1];
  ${round}
  @%p1 bra WAIT;
  ld.local.u32 %r6, [%rd4+4]; st.global.u32 [%rd1+64], %r6;
  ret;
}
`;
  const parsed = parsePtx(text, 'k.ptx');
  if (parsed.module === undefined) throw new Error('the text does not parse');
  const found = new Set<Statement['kind']>();
  walkBody(importKernel(parsed.module, { entry: 'k' }).kernel.compile().body, {
    statement: (s) => void found.add(s.kind),
  });
  return found;
}

const store = 'st.local.v4.u32 [%rd4], {%r2, %r3, %r4, %r5};';

describe('a loop that polls into memory of the thread', () => {
  it.each([
    ['only stores what it has read', `${store} setp.eq.u32 %p1, %r2, 0;`],
    ['decides by a word that it has stored', `${store} ld.local.u32 %r7, [%rd4+8]; setp.eq.u32 %p1, %r7, 0;`],
    ['decides by half of such a word', `${store} ld.local.u16 %h1, [%rd4+6]; setp.eq.u16 %p1, %h1, 0;`],
  ])('is a wait if it %s', (_, round) => {
    expect(kinds(round)).toContain('wait');
    expect(kinds(round)).not.toContain('loop');
  });

  it.each([
    [
      'stores at another address in each round',
      `add.s64 %rd4, %rd4, 4; st.local.u32 [%rd4], %r2; setp.eq.u32 %p1, %r2, 0;`,
    ],
    ['stores only in some rounds', `setp.eq.u32 %p2, %r3, 1; @%p2 ${store} setp.eq.u32 %p1, %r2, 0;`],
    ['loads what an earlier round has stored', `ld.local.u32 %r7, [%rd4]; ${store} setp.eq.u32 %p1, %r7, 0;`],
    ['loads bytes that it has not stored', `${store} ld.local.u32 %r7, [%rd2+32]; setp.eq.u32 %p1, %r7, 0;`],
    ['stores to memory of others', `st.global.u32 [%rd1+32], %r2; setp.eq.u32 %p1, %r2, 0;`],
  ])('stays a loop if it %s', (_, round) => {
    expect(kinds(round)).toContain('loop');
  });
});
