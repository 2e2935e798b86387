import { harness, type HarnessKernel } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';
import { both, reports, severities, type Shape } from './both-engines.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** A cluster of two CTAs of one thread. */
const pair: Shape = { grid: 2, block: 1, cluster: 2 };
/** Two of them. */
const pairs: Shape = { grid: 4, block: 1, cluster: 2 };
/** The rank in the cluster, and the addresses of both words of the other CTA. */
const peer = `
  mov.u32 %r2, %cluster_ctarank;
  xor.b32 %r3, %r2, 1;
  mapa.shared::cluster.u32 %r12, %r10, %r3;
  mapa.shared::cluster.u32 %r13, %r11, %r3;
  setp.eq.u32 %p1, %r2, 0;
  mul.wide.u32 %rd3, %r1, 4; add.u64 %rd2, %rd1, %rd3;`;
const sync = 'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;';

describe('the barrier of a cluster', () => {
  /** Each CTA stores to a word of its own and to one of the other, and loads the latter. */
  const exchange = (between: string): string =>
    `${peer} st.shared.u32 [%r10], 0; ${sync} st.shared::cluster.u32 [%r12], %r1; ${between} ld.shared.u32 %r4, [%r10]; ${sync} ret;`;

  it('orders the shared memory of its CTAs', async () => {
    expect(await severities(exchange(sync), pair)).toEqual(both(''));
  });

  it.for(slow)('is missing', async () => {
    expect(await severities(exchange(''), pair)).toEqual(both('error race'));
  });

  it.for(slow)('orders nothing if an arrival is relaxed', async () => {
    const relaxed = 'barrier.cluster.arrive.relaxed.aligned; barrier.cluster.wait.acquire.aligned;';
    expect(await severities(exchange(relaxed), pair)).toEqual(both('error race'));
  });

  it.for(slow)('orders what a fence of the cluster has released before a relaxed arrival', async () => {
    const fenced = (scope: string): string =>
      `fence.acq_rel.${scope}; barrier.cluster.arrive.relaxed; barrier.cluster.wait;`;
    expect(await severities(exchange(fenced('cluster')), pair)).toEqual(both(''));
    expect(await severities(exchange(fenced('gpu')), pair)).toEqual(both(''));
    expect(await severities(exchange(fenced('cta')), pair)).toEqual(both('error race'));
  });

  it.for(slow)('does not order what a thread does between arriving and waiting', async () => {
    const body = `${peer} st.shared.u32 [%r10], 0; ${sync}
      barrier.cluster.arrive; st.shared::cluster.u32 [%r12], %r1; barrier.cluster.wait;
      ld.shared.u32 %r4, [%r10]; ${sync} ret;`;
    expect(await severities(body, pair)).toEqual(both('error race'));
  });

  it('does not wait for threads that have ended', async () => {
    const body = `${peer} @%p1 ret; ${sync} ret;`;
    expect(await severities(body, pair)).toEqual(both(''));
  });

  it.for(slow)('waits for all threads of the cluster', async () => {
    const body = `${peer} @%p1 bra L; barrier.cluster.arrive; barrier.cluster.wait; ret;
      L: ld.acquire.gpu.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra L; ret;`;
    expect(await severities(body, pair)).toEqual(both('error deadlock'));
  });

  it.for(slow)('does not order the CTAs of two clusters', async () => {
    const body = `setp.eq.u32 %p1, %r1, 0; @%p1 st.global.u32 [%rd1], 7; ${sync} setp.eq.u32 %p2, %r1, 2; @%p2 ld.global.u32 %r4, [%rd1]; ret;`;
    expect(await severities(body, pairs)).toEqual(both('error race'));
    expect(await severities(body, { ...pairs, cluster: 4 })).toEqual(both(''));
  });
});

describe('a finding about clusters', () => {
  it('says which threads cluster scope includes', async () => {
    const body = `setp.eq.u32 %p1, %r1, 1; @%p1 bra A; setp.ne.u32 %p2, %r1, 2; @%p2 ret;
      W: ld.acquire.cluster.global.u32 %r4, [%rd1]; setp.eq.u32 %p3, %r4, 0; @%p3 bra W; ld.global.u32 %r5, [%rd1+64]; st.global.u32 [%rd1+68], %r5; ret;
      A: st.global.u32 [%rd1+64], 7; st.release.cluster.global.u32 [%rd1], 1; ret;`;
    const told = await reports(body, pairs);
    for (const report of [told.check, told.explore]) {
      const messages = report?.findings.flatMap(({ missing }) => missing.map(({ message }) => message));
      expect(messages?.some((one) => one.endsWith('cluster scope includes only the CTAs of one cluster'))).toBe(true);
    }
  });

  it('says if a CTA whose memory is accessed may not have started', async () => {
    const access = `${peer} st.shared::cluster.u32 [%r12], %r1;`;
    const { check: early } = await reports(`${access} ${sync} ld.shared.u32 %r4, [%r10]; ret;`, pair);
    expect(early?.findings.map(({ kind, message }) => `${kind}: ${message}`)).toEqual([
      expect.stringMatching(/^misuse: a CTA may access .* before that has started/),
    ]);
    const { check: late } = await reports(`${sync} ${access} ${sync} ld.shared.u32 %r4, [%r10]; ret;`, pair);
    expect(late?.verdict).toBe('clean');
  });

  it.for(slow)('names the barrier that shared memory lacks, the byte in its CTA, and the CTA that ends', async () => {
    const told = await reports(`${peer} st.shared::cluster.u32 [%r12], %r1; ld.shared.u32 %r4, [%r10]; ret;`, pair);
    for (const report of [told.check, told.explore]) {
      const race = report?.findings.find(({ kind }) => kind === 'race');
      expect(race?.missing.map(({ message }) => message)).toEqual([
        'a barrier of the cluster, or a flag that is released and acquired at cluster scope, is missing between them',
      ]);
      const misuse = report?.findings.find(({ message }) =>
        message.startsWith('a CTA may end before another CTA of its cluster'),
      );
      expect(misuse).toBeDefined();
      expect(misuse?.labels.map(({ does }) => does)).toEqual(['store', 'end of the CTA']);
    }
    const offsets = [told.check, told.explore].map((report) =>
      report?.findings.flatMap(({ kind, bytes }) =>
        kind === 'race' && bytes?.place.kind === 'array' ? bytes.place.offset : [],
      ),
    );
    expect(offsets).toEqual([[16], [16]]);
  });

  it('names the threads for which the barrier waits', async () => {
    const body = `${peer} @%p1 bra L; barrier.cluster.arrive; barrier.cluster.wait; ret;
      L: ld.acquire.gpu.global.u32 %r4, [%rd1]; setp.eq.u32 %p2, %r4, 0; @%p2 bra L; ret;`;
    const told = await reports(body, pair);
    for (const report of [told.check, told.explore]) {
      const waiting = report?.findings.flatMap(({ deadlock }) => deadlock?.waiting ?? []);
      expect(waiting?.map(({ needed }) => needed)).toContain('the other 1 thread of the cluster');
    }
  });

  it.for(slow)('is about no schedule of machines if an mbarrier or a fence counts as stronger than it is', async () => {
    const body = `${peer} mbarrier.init.shared::cta.b64 [%r11], 1; fence.mbarrier_init.release.cluster; ${sync}
      mbarrier.arrive.shared::cluster.b64 _, [%r13]; W: mbarrier.try_wait.parity.shared::cta.b64 %p3, [%r11], 0; @!%p3 bra W; ${sync} ret;`;
    const told = await reports(body, pair);
    for (const report of [told.check, told.explore]) {
      expect(report?.verdict).toBe('clean');
      expect(new Set(report?.approximations.map(({ how }) => how))).toEqual(
        new Set([
          'a fence of mbarrier.init or of shared memory as a fence of all accesses',
          'an mbarrier instruction without a scope as one of cluster scope',
        ]),
      );
    }
  });
});

describe('the scope of a cluster', () => {
  const flag = (scope: string, first: number, second: number): string => `
    setp.eq.u32 %p1, %r1, ${first}; @%p1 bra A; setp.ne.u32 %p2, %r1, ${second}; @%p2 ret;
    W: ld.acquire.${scope}.global.u32 %r4, [%rd1]; setp.eq.u32 %p3, %r4, 0; @%p3 bra W; ld.global.u32 %r5, [%rd1+64]; st.global.u32 [%rd1+68], %r5; ret;
    A: st.global.u32 [%rd1+64], 7; st.release.${scope}.global.u32 [%rd1], 1; ret;`;

  it('includes the CTAs of the cluster', async () => {
    expect(await severities(flag('cluster', 0, 1), pairs)).toEqual(both(''));
    expect(await severities(flag('gpu', 0, 1), pairs)).toEqual(both(''));
    expect(await severities(flag('cta', 0, 1), pairs)).toEqual(both('error race'));
  });

  it.for(slow)('does not include those of other clusters', async () => {
    expect(await severities(flag('cluster', 1, 2), pairs)).toEqual(both('error race'));
    expect(await severities(flag('gpu', 1, 2), pairs)).toEqual(both(''));
  });

  it.for(slow)('is that of fences too', async () => {
    const fenced = (scope: string, first: number, second: number): string => `
      setp.eq.u32 %p1, %r1, ${first}; @%p1 bra A; setp.ne.u32 %p2, %r1, ${second}; @%p2 ret;
      W: ld.relaxed.gpu.global.u32 %r4, [%rd1]; setp.eq.u32 %p3, %r4, 0; @%p3 bra W; fence.acq_rel.${scope}; ld.global.u32 %r5, [%rd1+64]; st.global.u32 [%rd1+68], %r5; ret;
      A: st.global.u32 [%rd1+64], 7; fence.acq_rel.${scope}; st.relaxed.gpu.global.u32 [%rd1], 1; ret;`;
    expect(await severities(fenced('cluster', 0, 1), pairs)).toEqual(both(''));
    expect(await severities(fenced('cta', 0, 1), pairs)).toEqual(both('error race'));
    expect(await severities(fenced('cluster', 0, 2), pairs)).toEqual(both('error race'));
  });

  it.for(slow)('is that of sequential fences too', async () => {
    // Both CTAs store to the last word only if neither sees the other's flag.
    const either = (scope: string, first: number, second: number): string => `
      setp.eq.u32 %p1, %r1, ${first}; @%p1 bra A; setp.ne.u32 %p2, %r1, ${second}; @%p2 ret;
      st.relaxed.gpu.global.u32 [%rd1], 1; fence.sc.${scope}; ld.relaxed.gpu.global.u32 %r4, [%rd1+4]; bra B;
      A: st.relaxed.gpu.global.u32 [%rd1+4], 1; fence.sc.${scope}; ld.relaxed.gpu.global.u32 %r4, [%rd1];
      B: setp.eq.u32 %p3, %r4, 0; @%p3 st.global.u32 [%rd1+64], %r1; ret;`;
    expect(await severities(either('cluster', 0, 1), pairs)).toEqual(both(''));
    expect(await severities(either('cta', 0, 1), pairs)).toEqual(both('error race'));
    expect(await severities(either('cluster', 1, 2), pairs)).toEqual(both('error race'));
  });

  it('is the CTA in a launch without clusters', async () => {
    expect(await severities(flag('cluster', 0, 1), { grid: 2, block: 1 })).toEqual(both('error race'));
  });
});

describe('shared memory of the cluster', () => {
  it('has atomics', async () => {
    const count = (scope: string): string => `${peer} @%p1 st.shared.u32 [%r10], 0; ${sync}
      mapa.shared::cluster.u32 %r14, %r10, 0; atom.add.relaxed.${scope}.shared::cluster.u32 %r4, [%r14], 1; ${sync}
      @%p1 ld.shared.u32 %r5, [%r10]; @%p1 st.global.u32 [%rd1], %r5; ret;`;
    expect(await severities(count('cluster'), pair)).toEqual(both(''));
    expect(await severities(count('cta'), pair)).toEqual(both('error race'));
  });

  it.for(slow)('is reached by generic addresses', async () => {
    const body = (between: string): string =>
      `${peer} st.shared.u32 [%r10], 0; ${sync}
      cvta.shared.u64 %rd2, sm; mapa.u64 %rd3, %rd2, %r3; st.u32 [%rd3], %r1; ${between} ld.u32 %r5, [%rd2]; st.global.u32 [%rd1+64], 1; ${sync} ret;`.replace(
        ' st.global.u32 [%rd1+64], 1;',
        '',
      );
    expect(await severities(body(sync), pair)).toEqual(both(''));
    expect(await severities(body(''), pair)).toEqual(both('error race'));
  });

  it('is not that of the CTA for accesses with .shared::cta', async () => {
    expect(await severities(`${peer} st.shared::cta.u32 [%r12], 1; ${sync} ret;`, pair)).toEqual(
      both('error out-of-bounds'),
    );
  });

  it.for(slow)('ends with the CTA', async () => {
    const leaves = `${peer} st.shared.u32 [%r10], 0; ${sync} @%p1 ret; ld.shared::cluster.u32 %r4, [%r12]; st.global.u32 [%rd1], %r4; ret;`;
    expect(await severities(leaves, pair)).toEqual(both('error misuse'));
    const stays = leaves.replace('@%p1 ret;', '@%p1 bra L;').replace('ret;', `L: ${sync} ret;`);
    expect(await severities(stays, pair)).toEqual(both(''));
  });
});

describe('mbarriers of a neighbour', () => {
  const start = `${peer} st.shared.u32 [%r10], 0; mbarrier.init.shared::cta.b64 [%r11], 1; fence.mbarrier_init.release.cluster; ${sync}`;
  const wait = (name: string, order = 'acquire.cluster.'): string =>
    `${name}: mbarrier.try_wait.parity.${order}shared::cta.b64 %p3, [%r11], 0; @!%p3 bra ${name};`;

  it.for(slow)('are arrived at, which orders what comes before', async () => {
    const body = (arrival: string, order?: string): string => `${start}
      st.shared::cluster.u32 [%r12], %r1; ${arrival} ${wait('W', order)} ld.shared.u32 %r4, [%r10]; st.shared.u32 [%r10], 9; ${sync} ret;`;
    expect(await severities(body('mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13];'), pair)).toEqual(
      both(''),
    );
    expect(await severities(body('mbarrier.arrive.shared::cluster.b64 _, [%r13];', ''), pair)).toEqual(both(''));
    expect(await severities(body('mbarrier.arrive.relaxed.cluster.shared::cluster.b64 _, [%r13];'), pair)).toEqual(
      both('error race'),
    );
    expect(await severities(body('mbarrier.arrive.release.cta.shared::cluster.b64 _, [%r13];'), pair)).toEqual(
      both('error race'),
    );
  });

  it('may expect bytes of a neighbour', async () => {
    const body = (
      scope: string,
    ): string => `${start} mbarrier.arrive.expect_tx.release.${scope}.shared::cluster.b64 _, [%r13], 4;
      st.async.shared::cluster.mbarrier::complete_tx::bytes.b32 [%r12], %r1, [%r13]; ${wait('W')} ld.shared.u32 %r4, [%r10]; st.global.u32 [%rd2], %r4; ${sync} ret;`;
    expect(await severities(body('cluster'), pair)).toEqual(both(''));
  });

  it.for(slow)('must be initialized before', async () => {
    const body = `${peer} mbarrier.init.shared::cta.b64 [%r11], 1; mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r13]; ${wait('W')} ${sync} ret;`;
    const { check } = await severities(body, pair);
    expect(check).toContain('error');
  });

  it.for(slow)('count the bytes of asynchronous stores', async () => {
    const body = (waits: string, store: string): string => `${start}
      mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [%r11], 4;
      ${store} ${waits} ld.shared.u32 %r4, [%r10]; ${sync} ret;`;
    const store = 'st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r12], 5, [%r13];';
    expect(await severities(body(wait('W'), store), pair)).toEqual(both(''));
    // Without the wait, the neighbour may even have ended.
    expect(await severities(body('', store), pair)).toEqual(both('error misuse, error race'));
  });

  it.for(slow)('count the bytes of asynchronous reductions', async () => {
    const body = (
      waits: string,
    ): string => `${peer} st.shared.u32 [%r10], 1; mbarrier.init.shared::cta.b64 [%r11], 1; ${sync}
      mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [%r11], 4;
      red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r12], 5, [%r13];
      ${waits} ld.shared.u32 %r4, [%r10]; ${sync} ret;`;
    expect(await severities(body(wait('W')), pair)).toEqual(both(''));
    expect(await severities(body(''), pair)).toEqual(both('error misuse, error race'));
  });

  it.for(slow)('count the bytes of bulk copies from a neighbour', async () => {
    const body = (waits: string, fence: string): string => `${start}
      add.u32 %r20, %r10, 32; add.u32 %r21, %r12, 16; mov.u32 %r4, 7; st.shared.v4.u32 [%r20], {%r4, %r4, %r4, %r4}; ${fence}
      mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [%r11], 16;
      cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%r21], [%r20], 16, [%r13];
      ${waits} ld.shared.u32 %r4, [%r10+16]; st.global.u32 [%rd2], %r4; ${sync} ret;`;
    const fence = 'fence.proxy.async.shared::cta;';
    expect(await severities(body(wait('W'), fence), pair)).toEqual(both(''));
    expect(await severities(body(wait('W'), ''), pair)).toEqual(both('error proxy'));
    expect(await severities(body('', fence), pair)).toEqual(both('error misuse, error race, error uninitialised'));
  });

  it.for(slow)('count the bytes of a bulk copy to several CTAs', async () => {
    const body = (mask: number): string => `${start}
      mbarrier.arrive.expect_tx.release.cluster.shared::cta.b64 _, [%r11], 16; ${sync} mov.b16 %h1, ${mask};
      @%p1 cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%r10], [%rd1], 16, [%r11], %h1;
      ${wait('W')} ld.shared.u32 %r4, [%r10]; ${sync} ret;`;
    expect(await severities(body(3), pair)).toEqual(both(''));
    expect(await severities(body(1), pair)).toEqual(both('error deadlock'));
    expect((await severities(body(7), pair)).check).toBe('error fault');
  });
});

describe('a harness with clusters', () => {
  const launch = (cluster: NonNullable<HarnessKernel['cluster']>, grid: HarnessKernel['grid']): unknown =>
    harness({ entry: 'k', ranks: 1, grid, block: 1, launches: 1, cluster, setup: () => ({ args: [] }) });

  it('may name them in three ways', () => {
    for (const cluster of [2, [2], [2, 1], [1, 2, 1], { x: 2 }, { x: 1, y: 2 }] as const)
      expect(() => launch(cluster, { x: 4, y: 2 })).not.toThrow();
  });

  it('has a grid of whole clusters', () => {
    expect(() => launch([2], 3)).toThrow(/a grid of 3 x 1 x 1 CTAs is not a whole number of clusters of 2 x 1 x 1/);
    expect(() => launch([1, 2], 4)).toThrow(/not a whole number/);
    expect(() => launch(0, 4)).toThrow(/cluster.x/);
    expect(() => launch([1.5], 4)).toThrow(/cluster.x/);
  });
});
