import { renderReport } from '@nccl-ts/findings';
import { describe, expect, it } from 'vitest';
import { checkText, reports, type Shape } from './both-engines.ts';

/*
 * The help for accesses that a barrier, a fence or a wait does not order, though there is one.
 */

/** The two threads of CTA 0 store a word each. Then thread 0 sets a flag, for which CTA 1 waits. */
const tells = (store: string, flag: string, wait: string): string => `mov.u32 %r2, %ctaid.x; setp.ne.u32 %p2, %r2, 0;
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
  @%p2 bra W;
  ${store}
  bar.sync 0;
  @!%p1 ret; ${flag} ret;
  W: ${wait} setp.eq.u32 %p3, %r3, 0; @%p3 bra W;
  ld.global.u32 %r4, [%rd2+64]; st.global.u32 [%rd2+128], %r4; ret;`;

const pairs: Shape = { grid: 2, block: 2 };
const data = 'st.global.u32 [%rd2+64], 7;';

describe('the help for a fence', () => {
  it('says that it stands before the store too', async () => {
    const wait = 'ld.acquire.gpu.global.u32 %r3, [%rd1];';
    const text = await checkText(
      tells(`fence.acq_rel.gpu; ${data}`, 'st.relaxed.gpu.global.u32 [%rd1], 1;', wait),
      pairs,
    );
    expect(text).toMatch(/that write must release .* The fence at \S+ stands before the store, and does not cover it/);
    expect(text).not.toContain('did not synchronize with it before');
  });

  it('names the one after the load of the flag, if that is too narrow', async () => {
    const { check, explore } = await reports(
      tells(data, 'st.release.gpu.global.u32 [%rd1], 1;', 'ld.relaxed.gpu.global.u32 %r3, [%rd1]; fence.acq_rel.cta;'),
      pairs,
    );
    for (const report of [check, explore])
      expect(report === undefined ? '' : renderReport(report)).toContain(
        'the fence after the load of the flag has block scope, which does not reach another CTA',
      );
  });
});

describe('the help for a barrier', () => {
  it('comes first, if GPUs need no more than that', async () => {
    const body = (meets: string): string => `mov.u32 %r2, %ctaid.x; setp.eq.u32 %p2, %r2, 0;
      mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
      @%p2 bra S;
      ld.global.u32 %r4, [%rd2+16]; st.global.u32 [%rd2+128], %r4;
      ${meets}
      @!%p1 ret; st.relaxed.gpu.global.u32 [%rd1], 1; ret;
      S: @!%p1 bra B;
      W: ld.relaxed.gpu.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra W;
      B: bar.sync 0; st.global.u32 [%rd2+16], 7; ret;`;
    const text = await checkText(body(''), pairs);
    expect(text).toMatch(
      /by thread 0, which has not met thread 1 since its load: a .* is missing after the load.*\n.*that write must release/,
    );
    expect(await checkText(body('bar.sync 0;'), pairs)).not.toContain('error[');
  });

  it('names the thread that does not come to it', async () => {
    const body = `setp.lt.u32 %p2, %r1, 32; setp.eq.u32 %p3, %r1, 32;
      @%p3 st.shared.u32 [%r10], 7;
      @!%p2 bra B;
      bar.sync 0; ld.shared.u32 %r2, [%r10]; @%p1 st.global.u32 [%rd1], %r2; ret;
      B: bar.sync 1, 32; ret;`;
    const text = await checkText(body, { grid: 1, block: 64 });
    expect(text).toMatch(
      /thread \d+ meets other threads between the two, but not thread 32: let both come to one barrier, such as a bar\.sync/,
    );
  });

  it('of a cluster names the arrival before the store', async () => {
    const body = `mov.u32 %r2, %cluster_ctarank; xor.b32 %r3, %r2, 1; mapa.shared::cluster.u32 %r12, %r10, %r3;
      shl.b32 %r5, %r1, 2; add.u32 %r12, %r12, %r5; add.u32 %r13, %r10, %r5;
      barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;
      barrier.cluster.arrive; st.shared::cluster.u32 [%r12], %r1; barrier.cluster.wait;
      ld.shared.u32 %r4, [%r13]; barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned; ret;`;
    const text = await checkText(body, { grid: 2, block: 2, cluster: 2 });
    expect(text).toMatch(
      /thread \d of CTA \d arrives at the barrier of the cluster, or releases its flag, before the store/,
    );
  });
});

describe('the help for a bulk copy', () => {
  it('says that its bytes were not counted', async () => {
    const body = `@!%p1 bra B;
      mbarrier.init.shared::cta.b64 [%r11], 1; fence.mbarrier_init.release.cluster; fence.proxy.async;
      B: bar.sync 0; @!%p1 bra C;
      mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r11], 16;
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r10], [%rd1], 16, [%r11];
      add.u32 %r12, %r10, 16; add.u64 %rd2, %rd1, 16;
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r12], [%rd2], 16, [%r11];
      C: mbarrier.try_wait.parity.shared::cta.b64 %p2, [%r11], 0; @!%p2 bra C;
      ld.shared.u32 %r4, [%r10+16]; st.global.u32 [%rd1+128], %r4; ret;`;
    const text = await checkText(body, { grid: 1, block: 2 });
    expect(text).toContain('whose expect_tx counts');
    expect(text).not.toContain('thread 0 has not synchronized with that thread');
  });

  it.each([
    { title: 'names the flag of a thread that has not met the waiting one', thread: 1, wait: 'wait_group' },
    { title: 'names the flag after a wait for its reads alone', thread: 0, wait: 'wait_group.read' },
  ])('$title', async ({ thread, wait }) => {
    const body = `mov.u32 %r2, %ctaid.x; setp.ne.u32 %p2, %r2, 0; @%p2 bra W;
      setp.eq.u32 %p4, %r1, ${thread};
      @!%p1 bra F;
      st.shared.u32 [%r10], 7; fence.proxy.async;
      cp.async.bulk.global.shared::cta.bulk_group [%rd1+64], [%r10], 16;
      cp.async.bulk.commit_group; cp.async.bulk.${wait} 0;
      F: @!%p4 ret; st.release.gpu.global.u32 [%rd1], 1; ret;
      W: ld.acquire.gpu.global.u32 %r3, [%rd1]; setp.eq.u32 %p3, %r3, 0; @%p3 bra W;
      ld.global.u32 %r4, [%rd1+64]; @%p1 st.global.u32 [%rd1+128], %r4; ret;`;
    const text = await checkText(body, pairs);
    expect(text).toContain(
      `the store of thread ${thread}, which this side has read, comes after no wait for the bulk copy`,
    );
  });
});
