import { describe, expect, it } from 'vitest';
import { both, severities, type Shape } from './both-engines.ts';

const one: Shape = { grid: 1, block: 1 };

/** Two rounds of a store to shared memory and a bulk copy from there, with `between` the two. */
function rounds(between: string): string {
  const round = (value: number): string => `mov.u32 %r4, ${value};
  st.shared.v4.u32 [%r10], {%r4, %r4, %r4, %r4}; fence.proxy.async.shared::cta;
  cp.async.bulk.global.shared::cta.bulk_group [%rd1+${64 * value}], [%r10], 16; cp.async.bulk.commit_group;`;
  return `${round(1)} ${between} ${round(2)} cp.async.bulk.wait_group 0; ret;`;
}

describe('the source of a bulk copy', () => {
  it.each([
    ['wait_group.read', 'cp.async.bulk.wait_group.read 0;', ''],
    ['wait_group', 'cp.async.bulk.wait_group 0;', ''],
    ['no wait', '', 'error race'],
    ['a wait that leaves the copy', 'cp.async.bulk.wait_group.read 1;', 'error race'],
  ])('may be stored to again after %s', async (_, between, found) => {
    expect(await severities(rounds(between), one)).toEqual(both(found));
  });

  it('needs a proxy fence before the next copy', async () => {
    const text = rounds('cp.async.bulk.wait_group.read 0;');
    const unfenced = text.slice(0, 200) + text.slice(200).replace('fence.proxy.async.shared::cta;', '');
    expect(unfenced).not.toEqual(text);
    expect(await severities(unfenced, one)).toEqual(both('error proxy'));
  });

  it('needs a proxy fence before the next copy, whatever another copy fences', async () => {
    const begin = `mov.u32 %r4, 6; mbarrier.init.shared::cta.b64 [%r11], 1; fence.mbarrier_init.release.cluster;
      st.shared.v4.u32 [%r10], {%r4, %r4, %r4, %r4}; fence.proxy.async.shared::cta;
      st.global.v4.u32 [%rd1+16], {%r4, %r4, %r4, %r4};`;
    const other = `mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r11], 16; add.u32 %r12, %r10, 16;
      cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r12], [%rd1+64], 16, [%r11];`;
    const copy = `cp.async.bulk.global.shared::cta.bulk_group [%rd1+16], [%r10], 16;
      cp.async.bulk.commit_group; cp.async.bulk.wait_group 0; ret;`;
    expect(await severities(`${begin} ${other} ${copy}`, one)).toEqual(both('model proxy'));
  });
});
