import { describe, expect, it } from 'vitest';

import { ctas, reports } from './both-engines.ts';

/** Block 1 waits for block 0. */
const waits = `@%p1 bra Z; L: ld.acquire.gpu.global.u32 %r2, [%rd1]; setp.eq.u32 %p2, %r2, 0; @%p2 bra L; ret;
Z: st.release.gpu.global.u32 [%rd1], 1; ret;`;

describe('blocks that do not all fit', () => {
  it('may start in another order, so that one waits in the only place', async () => {
    const { check, explore } = await reports(waits, ctas, { residentCtas: 1 });
    expect(check?.verdict).toBe('deadlock');
    expect(explore?.proves.kind).toBe('nothing');
  });

  it('are fine if the block that is waited for always finds a place', async () => {
    const three = { grid: 3, block: 1 };
    const last = waits.replace('@%p1 bra Z;', '@%p1 bra Z; setp.eq.u32 %p3, %r1, 1; @%p3 ret;');
    const { check } = await reports(last, three, { residentCtas: 2 });
    expect(check?.verdict).toBe('clean');
    expect(check?.proves.kind).toBe('portfolio');
  });

  it('are the same in any order if none waits', async () => {
    const { check } = await reports(
      'mul.wide.u32 %rd2, %r1, 4; add.u64 %rd3, %rd1, %rd2; st.global.u32 [%rd3], %r1; ret;',
      { grid: 3, block: 1 },
      { residentCtas: 1 },
    );
    expect(check?.proves.kind).toBe('all schedules');
  });

  it('all start at the beginning where there is room', async () => {
    const { check, explore } = await reports(waits, ctas, { residentCtas: 2 });
    expect(check?.proves.kind).toBe('all schedules');
    expect(explore?.proves.kind).toBe('all schedules');
  });
});
