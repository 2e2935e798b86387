import { check } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';
import { checkText, ctas } from './both-engines.ts';
import { moduleText } from './support/kernels-as-text.ts';

/*
 * The help for words that connect two accesses in the wrong order, or with the wrong values.
 */

describe('the help for a word', () => {
  it('says that a reader announces its end before it has read', async () => {
    const handsOver = (end: string): string => `mov.u32 %r5, 1; @%p1 bra M;
      N: add.u32 %r5, %r5, 1;
      C: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.ne.u32 %p2, %r2, 1; @%p2 bra C;
      ${end}
      setp.le.u32 %p3, %r5, 3; @%p3 bra N; ret;
      M: add.u32 %r5, %r5, 1;
      P: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.ne.u32 %p2, %r2, 0; @%p2 bra P;
      st.global.u32 [%rd1+64], %r5;
      st.release.gpu.global.u32 [%rd1], 1;
      setp.le.u32 %p3, %r5, 3; @%p3 bra M; ret;`;
    const [reads, ends] = ['ld.global.u32 %r3, [%rd1+64];', 'st.release.gpu.global.u32 [%rd1], 0;'];
    const uses = 'st.global.u32 [%rd1+128], %r3;';
    expect(await checkText(handsOver(`${reads}\n${uses}\n${ends}`), ctas)).toMatch(/^clean/);
    const text = await checkText(handsOver(`${ends}\n${reads}\n${uses}`), ctas);
    expect(text).toMatch(
      /help: the wait of CTA 0 at \S+ is for the store of CTA 1 of rank 0 at \S+, which stands before the load of CTA 1: move it after the load/,
    );
  });

  it('names the fence that lets a write come before a later read of another word', async () => {
    const claims = (fence: string): string => `mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
      mov.u32 %r5, 1; sub.u32 %r5, %r5, %r1; mul.wide.u32 %rd3, %r5, 4; add.u64 %rd3, %rd1, %rd3;
      st.relaxed.gpu.global.u32 [%rd2], 1;
      ${fence}
      ld.relaxed.gpu.global.u32 %r2, [%rd3]; setp.ne.u32 %p2, %r2, 0; @%p2 ret;
      fence.acq_rel.gpu; st.global.u32 [%rd1+64], %r1; ret;`;
    expect(await checkText(claims('fence.sc.gpu;'), ctas)).toMatch(/^clean/);
    expect(await checkText(claims('fence.acq_rel.gpu;'), ctas)).toMatch(
      /help: CTA \d writes .* and then reads .*: neither sees the write of the other\. .* put fence\.sc\.sys between/,
    );
  });

  it('says that both barriers of a launch use one value', async () => {
    const body = (second: string): string => `.visible .entry k(.param .u64 mine, .param .u64 peer, .param .u32 epoch)
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [mine];
  ld.param.u64 %rd2, [peer];
  ld.param.u32 %r1, [epoch];
  shl.b32 %r1, %r1, 1;
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd1+4], %r1;
  st.release.sys.global.u32 [%rd2], %r1;
A: ld.acquire.sys.global.u32 %r2, [%rd1];
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra A;
  ld.global.u32 %r3, [%rd2+4];
  st.global.u32 [%rd1+8], %r3;
  ${second}
  st.release.sys.global.u32 [%rd2], %r1;
B: ld.acquire.sys.global.u32 %r2, [%rd1];
  setp.lt.u32 %p1, %r2, %r1;
  @%p1 bra B;
  ret;
}`;
    const told = async (second: string): Promise<string> => {
      const launch = harness({
        entry: 'k',
        ranks: 2,
        grid: 1,
        block: 1,
        launches: 2,
        setup({ rank, alloc, peer }) {
          const words = alloc('words', u32, 4);
          return { args: (epoch) => [words, peer(words, 1 - rank), epoch] };
        },
      });
      const program = harnessProgram(launch, translate(launch, moduleText(body(second)), { name: 'k.ptx' }));
      return renderReport(await check({ ranks: 2 }, program));
    };
    expect(await told('add.u32 %r1, %r1, 1;')).toMatch(/^clean/);
    expect(await told('')).toMatch(
      /help: the wait of rank \d at \S+ ends at once: .* already, by .* before the load\. .*: let each round or barrier write and await a value of its own/,
    );
  });
});
