import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { renderReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32, u64, type HarnessDefinition } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/*
 * The help for mistakes that only kernels from PTX can make, in the words of CUDA.
 */

const kernel = (body: string): string => `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u32 launch)
{
  .reg .pred %p<4>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<4>;
  .shared .align 16 .b8 sm[64];
  .shared .align 8 .b64 bar;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r9, [launch];
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  mov.u32 %r10, sm;
  mov.u32 %r11, bar;
  ${body}
}
`;

const copy = (announced: number, parity: number): string => `mbarrier.init.shared::cta.b64 [%r11], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r11], ${announced};
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1], 16, [%r11];
C: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r11], ${parity};
  @!%p2 bra C;
  ret;`;

const arrivals = (count: number): string => `@!%p1 bra I;
  mbarrier.init.shared::cta.b64 [%r11], ${count};
I: bar.sync 0;
  mbarrier.arrive.shared::cta.b64 _, [%r11];
C: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r11], 0;
  @!%p2 bra C;
  ret;`;

const words = (body: string, block = 1, more: Partial<HarnessDefinition> = {}) => ({ body, block, more });

const wrong = (expected: number, writes: string) =>
  words(`${writes} ret;`, 1, {
    launches: 2,
    setup: ({ alloc }) => {
      const out = alloc('out', u32, 16);
      return { args: (launch) => [out, launch], expect: () => out.equals([expected], { count: 1 }) };
    },
  });

const programs = {
  'mbarrier-too-many-bytes': words(copy(8, 0)),
  'mbarrier-too-few-bytes': words(copy(32, 0)),
  'mbarrier-next-phase': words(copy(16, 1)),
  'mbarrier-arrivals': words(arrivals(3), 2),
  'barrier-count': words('bar.sync 1, 64; bar.sync 0; ret;', 96),
  'uninitialised-shared': words('ld.shared.u32 %r2, [%r10]; st.global.u32 [%rd1], %r2; ret;'),
  'wrong-result': wrong(9, 'st.global.u32 [%rd1], %r9;'),
  'wrong-result-of-an-earlier-launch': wrong(1, 'setp.eq.u32 %p2, %r9, 0; @%p2 st.global.u32 [%rd1], 7;'),
  'wrong-result-that-nobody-wrote': wrong(1, ''),
} as const;

/** The text of a report without the parts that depend on the schedule. */
function told(text: string): string {
  const lines = text.split('\n').filter((line) => /^error\[|^ *-->| by ranks? |^ *= (today|help|note)/.test(line));
  return `${lines.map((line) => line.replace(/^ +(?=[=|])/, '  ')).join('\n')}\n`;
}

describe('the help for a kernel from PTX', () => {
  const quick = new Set(['mbarrier-too-many-bytes', 'barrier-count', 'wrong-result-of-an-earlier-launch']);

  it.for(Object.entries(programs).filter(([name]) => quick.has(name) !== inject('slow')))(
    'of %s says what to write',
    async ([name, { body, block, more }]) => {
      const launch = harness({
        entry: 'k',
        launches: 1,
        ranks: 1,
        grid: 1,
        block,
        setup: ({ alloc }) => ({ args: [alloc('out', u32, 16), 0] }),
        ...more,
      });
      const program = harnessProgram(launch, translate(launch, kernel(body), { name: 'k.ptx' }));
      const report = await check({ ranks: 1, local: true }, program);
      await expect(told(renderReport(report))).toMatchFileSnapshot(`snapshots/help-${name}.txt`);
    },
  );

  const textOf = (name: string): string => readFileSync(new URL(`fixtures/calls/${name}`, import.meta.url), 'utf8');
  const source = (path: string): string | undefined => (path.endsWith('.cu') ? textOf(path) : undefined);
  const requests = inject('slow') ? ['signalOfAnotherPut'] : ['putBeforeTheSignal'];

  it.for(requests)('of NVSHMEM, %s, says which put is not covered', async (entry) => {
    const launch = harness({
      entry,
      ranks: 2,
      grid: 1,
      block: 1,
      launches: 1,
      setup({ rank, alloc }) {
        const box = alloc('box', u32, 4);
        const mine = alloc('mine', u32, 4, (i) => 10 * rank + i + 1);
        return { args: [box, mine, alloc('signal', u64, 2), alloc('out', u32, 4)] };
      },
    });
    const text = textOf('shmem-orders.ptx');
    const program = harnessProgram(launch, translate(launch, text, { name: 'shmem-orders.ptx', source }));
    const report = await check({ ranks: 2 }, program);
    await expect(told(renderReport(report))).toMatchFileSnapshot(`snapshots/help-${entry}.txt`);
  });
});
