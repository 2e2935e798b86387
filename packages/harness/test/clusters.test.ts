import { describe, expect, it } from 'vitest';
import { both, severities, type Shape } from './both-engines.ts';

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
  setp.eq.u32 %p1, %r2, 0;`;
const sync = 'barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;';

describe('the barrier of a cluster', () => {
  const exchange = (between: string): string =>
    `${peer} st.shared::cluster.u32 [%r12], %r1; ${between} ld.shared.u32 %r4, [%r10]; ${sync} ret;`;

  it('orders the shared memory of its CTAs', async () => {
    expect(await severities(exchange(sync), pair)).toEqual(both(''));
  });

  it('is missing', async () => {
    expect(await severities(exchange(''), pair)).toEqual(both('error race'));
  });
});
