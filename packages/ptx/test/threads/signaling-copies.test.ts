import { describe, expect, it } from 'vitest';
import { checkText, runText, workEntry } from './support/run-text.ts';

/** Each thread copies a word, and reads that of another thread after the mbarrier. */
const copyText = (arrivals: number, signal: string): string =>
  workEntry(`
  .shared .align 16 .b8 tile[256];
  .shared .align 8 .b64 bar;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra READY;
  mbarrier.init.shared.b64 [bar], ${arrivals};
READY:
  bar.sync 0;
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, tile;
  add.u32 %r3, %r2, %r1;
  cvt.u64.u32 %rd1, %r1;
  add.s64 %rd2, %in, %rd1;
  cp.async.ca.shared.global [%r3], [%rd2], 4;
  ${signal}
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
  @!%p1 bra WAIT;
  xor.b32 %r4, %r1, 124;
  add.u32 %r5, %r2, %r4;
  ld.shared.u32 %r6, [%r5];
  add.s64 %rd3, %out, %rd1;
  st.global.u32 [%rd3], %r6;`);

const given = Array.from({ length: 32 }, (_, i) => 10 + i);

describe('cp.async.mbarrier.arrive', () => {
  it.each([
    ['arrives for the copies of each thread', 'cp.async.mbarrier.arrive.noinc.shared.b64 [bar];'],
    [
      'adds an arrival of its own',
      'cp.async.mbarrier.arrive.shared::cta.b64 [bar];\n  mbarrier.arrive.shared.b64 %rd9, [bar];',
    ],
  ])('%s', async (_, signal) => {
    const text = copyText(32, signal);
    expect((await runText(text, { given })).slice(0, 32)).toEqual(given.toReversed());
    const report = await checkText(text, { given, strategy: 'random' });
    expect(report.findings).toEqual([]);
    expect(report.approximations.map(({ how }) => how)).toEqual(['copies that signal an mbarrier as over at once']);
  });

  it('is a race without it', async () => {
    const report = await checkText(copyText(32, 'mbarrier.arrive.shared.b64 %rd9, [bar];'), {
      given,
      strategy: 'random',
    });
    expect(report.verdict).not.toBe('clean');
  });
});
