import { explore } from '@nccl-ts/checker';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';

/** Rank 0 copies 16 bytes into rank 1's inbox, and rank 1 copies them into its shared memory. */
const text = `
.version 8.5
.target sm_90
.address_size 64
.visible .entry pass(.param .u64 inbox, .param .u64 flag, .param .u64 out, .param .u32 rank)
{
  .shared .align 16 .b8 line[32];
  .shared .align 8 .b64 barrier;
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [inbox];
  ld.param.u64 %rd2, [flag];
  ld.param.u64 %rd3, [out];
  ld.param.u32 %r1, [rank];
  mov.u32 %r2, line;
  mov.u32 %r3, barrier;
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra RECEIVE;
  mov.u32 %r4, 7;
  st.shared.v4.u32 [%r2], {%r4, %r4, %r4, %r4};
  fence.proxy.async.shared::cta;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  st.release.sys.global.u32 [%rd2], 1;
  ret;
RECEIVE:
  mbarrier.init.shared::cta.b64 [%r3], 1;
  fence.mbarrier_init.release.cluster;
FLAG:
  ld.acquire.sys.global.u32 %r5, [%rd2];
  setp.eq.u32 %p2, %r5, 0;
  @%p2 bra FLAG;
  fence.proxy.async.global;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%rd1], 16, [%r3];
CAME:
  mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r3], 0;
  @!%p3 bra CAME;
  ld.shared.u32 %r6, [%r2];
  st.global.u32 [%rd3], %r6;
  ret;
}
`;

const launch = harness({
  entry: 'pass',
  ranks: 2,
  grid: 1,
  block: 1,
  launches: 1,
  setup({ rank, alloc, peer }) {
    const [inbox, flag, out] = [alloc('inbox', u32, 4), alloc('flag', u32, 1), alloc('out', u32, 1)];
    const args = [peer(inbox, 1), peer(flag, 1), out, rank];
    return { args, expect: () => out.equals(() => (rank === 0 ? 0 : 7)) };
  },
});

/** Replaces a part of the text. Returns the findings, and if all executions were explored. */
async function explored(part = '', instead = ''): Promise<readonly (string | boolean)[]> {
  const edited = text.replace(part, instead);
  if (part !== '' && edited === text) throw new Error('the edit changes nothing');
  const program = harnessProgram(launch, translate(launch, edited, { name: 'pass.ptx' }));
  const { complete, report } = await explore({ ranks: 2, mode: 'check' }, program, { runs: 1000 });
  return [complete, ...new Set((report?.findings ?? []).map(({ severity, kind }) => `${severity} ${kind}`))];
}

describe('all executions of a kernel with bulk copies', () => {
  it('are clean, with the right result', async () => {
    expect(await explored()).toEqual([true]);
  });

  it.each(
    [
      ['the flag behind a copy is relaxed', 'st.release.sys', 'st.relaxed.sys', 'error race'],
      ['the flag waits only for the reads of the copy', 'wait_group 0', 'wait_group.read 0', 'error race'],
      ['no proxy fence follows a store to shared memory', 'fence.proxy.async.shared::cta;', '', 'error proxy'],
      ['no thread waits for the mbarrier', '@!%p3 bra CAME;', '', 'error race'],
      [
        'a second copy goes to the same bytes',
        'cp.async.bulk.commit_group;',
        `add.u32 %r7, %r2, 16;
         st.shared.v4.u32 [%r7], {%r1, %r1, %r1, %r1};
         fence.proxy.async.shared::cta;
         cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r7], 16;
         cp.async.bulk.commit_group;`,
        'error race',
      ],
      [
        'a second copy stores the same value',
        'cp.async.bulk.commit_group;',
        'cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], 16;\ncp.async.bulk.commit_group;',
        'note race',
      ],
    ].filter((_, i) => (i % 4 === 0) !== inject('slow')),
  )('show an error if %s', async (_, part, instead, finding) => {
    expect(await explored(part, instead)).toContain(finding);
  });
});
