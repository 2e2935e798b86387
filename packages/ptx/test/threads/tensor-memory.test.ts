import { describe, expect, inject, it } from 'vitest';
import { checkText, refusalOfText, runText, workEntry } from './support/run-text.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** A of 128 rows and B of 16 columns, both of 16 halves, in core matrices of 128 bytes. */
const descriptor = (start: number): string => `${BigInt(start / 16) | (8n << 16n) | (16n << 32n) | (1n << 46n)}`;
const description = `${((16 >> 3) << 17) | ((128 >> 4) << 24)}`;
const atB = 16384;

interface Steps {
  readonly before?: string;
  readonly meanwhile?: string;
  readonly commit?: string;
  readonly wait?: string;
  readonly a?: string;
}

/** A block fills shared memory, one thread multiplies, and all load the result. */
function productText(steps: Steps = {}): string {
  const {
    before = 'fence.proxy.async.shared::cta;\n  bar.sync 0;',
    meanwhile = '',
    commit = 'tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];',
    wait = 'WAIT:\n  mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n  @!%p2 bra WAIT;',
    a = '%rd8',
  } = steps;
  return workEntry(`
  .shared .align 1024 .b8 tile[32768];
  .shared .align 8 .b64 bar;
  .shared .align 4 .b32 place;
  setp.eq.u32 %p1, %r0, 0;
  @%p1 mbarrier.init.shared.b64 [bar], 1;
  setp.lt.u32 %p3, %r0, 32;
  @%p3 tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [place], 32;
  mov.u32 %r2, 0;
  shl.b32 %r1, %r0, 2;
FILL:
  st.shared.u32 [%r1], %r0;
  add.u32 %r1, %r1, 512;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p0, %r2, 64;
  @%p0 bra FILL;
  ${before}
  tcgen05.fence::after_thread_sync;
  ld.shared.u32 %r9, [place];
  mov.u64 %rd8, ${descriptor(0)};
  mov.u64 %rd9, ${descriptor(atB)};
  mov.u32 %r8, ${description};
  setp.ne.u32 %p4, %r0, %r0;
  @%p1 tcgen05.mma.cta_group::1.kind::f16 [%r9], ${a}, %rd9, %r8, %p4;
  @%p1 ${commit}
  ${meanwhile}
  ${wait}
  tcgen05.fence::after_thread_sync;
  tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r10, %r11}, [%r9];
  tcgen05.wait::ld.sync.aligned;
  mul.wide.u32 %rd1, %r0, 8;
  add.s64 %rd2, %out, %rd1;
  st.global.v2.u32 [%rd2], {%r10, %r11};
  @%p1 st.shared.u32 [tile+${atB}], %r0;
  bar.sync 0;
  @%p3 tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r9, 32;`);
}

const block = 128;

async function findings(steps: Steps): Promise<readonly string[]> {
  const { findings: found } = await checkText(productText(steps), { block, strategy: 'random' });
  return [...new Set(found.filter(({ severity }) => severity === 'error').map(({ kind }) => kind))];
}

describe('tcgen05', () => {
  it('reads its matrices until its commit', async () => {
    expect(await findings({})).toEqual([]);
    const none = { commit: 'mov.u32 %r30, 0;', wait: '' };
    expect(await findings(none)).toEqual(['race']);
  });

  it.for(slow)('is seen by others through the mbarrier of its commit', async () => {
    const other = 'setp.eq.u32 %p5, %r0, 64;\n  @%p5 st.shared.u32 [tile], 1;';
    expect(await findings({ meanwhile: other })).toEqual(['race']);
    const after = `WAIT:\n  mbarrier.try_wait.parity.shared.b64 %p2, [bar], 0;\n  @!%p2 bra WAIT;\n  ${other}`;
    expect(await findings({ wait: after })).toEqual([]);
  });

  it.for(slow)('needs a proxy fence after stores to its matrices', async () => {
    expect(await findings({ before: 'bar.sync 0;' })).toEqual(['proxy']);
  });

  it.each(
    (
      [
        ['the last bytes of A', 4080, true],
        ['the bytes after A', 4096, false],
        ['the last bytes of B', atB + 496, true],
        ['the bytes after B', atB + 512, false],
      ] as const
    ).filter((_, i) => (i % 3 === 0) !== inject('slow')),
  )('reads by its description: %s', async (_, place, isRead) => {
    const other = `setp.eq.u32 %p5, %r0, 64;\n  @%p5 st.shared.u32 [tile+${place}], 1;`;
    expect(await findings({ meanwhile: other })).toEqual(isRead ? ['race'] : []);
  });

  it('reads no shared memory for an A in tensor memory', async () => {
    const other = 'setp.eq.u32 %p5, %r0, 64;\n  @%p5 st.shared.u32 [tile], 1;';
    expect(await findings({ meanwhile: other, a: '[%r9]' })).toEqual([]);
  });

  it.for(slow)('names its values as unknown, and gives each thread others', async () => {
    const report = await checkText(productText(), { block, strategy: 'random' });
    expect(report.approximations.map(({ how }) => how)).toEqual([
      'tensor memory as unknown values without an order, and the end of tcgen05 instructions as that of their commit',
    ]);
    const words = await runText(productText(), { block });
    expect(new Set(words.slice(0, 2 * block)).size).toBeGreaterThan(block);
  });

  it('is refused for two blocks', () => {
    const text = workEntry('tcgen05.mma.cta_group::2.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;');
    expect(refusalOfText(text).join('\n')).toContain('works with two blocks of a cluster');
  });
});
