import { check, explore } from '@nccl-ts/checker';
import { approximationText, type CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, translate, u32 } from '@nccl-ts/harness';
import { describe, expect, it } from 'vitest';

/** The threads of the one block. Those from 20 on end at once, or before the second vote. */
const BLOCK = 40;

/**
 * Checks a launch of one block. `%r1` is the thread, `%r2` is 100 more, and the block's threads
 * store `%r5`.
 */
async function both(body: string, wanted: (thread: number) => number): Promise<readonly (CheckReport | undefined)[]> {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<8>;
  .reg .b32 %r<12>;
  .reg .b64 %rd<8>;
  .shared .align 4 .b8 words[256];
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  add.u32 %r2, %r1, 100;
  setp.ge.u32 %p1, %r1, 20;
  setp.lt.u32 %p2, %r1, 5;
  mul.wide.u32 %rd2, %r1, 4;
  add.u64 %rd1, %rd1, %rd2;
  mov.u32 %r10, words;
  shl.b32 %r11, %r1, 2;
  add.u32 %r10, %r10, %r11;
  ${body}
  st.global.u32 [%rd1], %r5;
END:
  ret;
}
`;
  const launch = harness({
    entry: 'k',
    launches: 1,
    ranks: 1,
    grid: 1,
    block: BLOCK,
    setup: ({ alloc }) => {
      const out = alloc('out', u32, BLOCK, () => 0);
      return { args: [out], expect: () => out.equals((t) => (t < 20 ? wanted(t) : 0)) };
    },
  });
  const program = harnessProgram(launch, translate(launch, text, { name: 'k.ptx' }));
  const { report } = await explore({ ranks: 1, mode: 'check' }, program, { runs: 20 });
  return [await check({ ranks: 1 }, program), report];
}

const leave = '@%p1 bra END;';
const lanesBelow20 = 0xfffff;

/** Exchanges of all lanes, as CUDA's intrinsics with a full mask, of which 12 have ended. */
const exchanges: Readonly<Record<string, readonly [body: string, wanted: (thread: number) => number]>> = {
  'bar.warp.sync': ['bar.warp.sync -1; mov.u32 %r5, %r1;', (t) => t],
  'a barrier of the warp with its mask in a register': [
    'mov.u32 %r3, -1; add.u32 %r3, %r3, 0; bar.warp.sync %r3; mov.u32 %r5, %r1;',
    (t) => t,
  ],
  ballot: ['vote.sync.ballot.b32 %r5, %p1, -1; not.b32 %r5, %r5; and.b32 %r5, %r5, 0xff;', () => 0xff],
  'a ballot that all take part in': [
    'setp.eq.u32 %p3, %r1, %r1; vote.sync.ballot.b32 %r5, %p3, -1;',
    () => lanesBelow20,
  ],
  'a vote that all lanes agree': [
    'setp.lt.u32 %p3, %r1, 20; vote.sync.all.pred %p4, %p3, -1; selp.u32 %r5, 1, 0, %p4;',
    () => 1,
  ],
  'a vote that any lane agrees, after one of lanes that have ended since': [
    'setp.ge.u32 %p3, %r1, 20; vote.sync.any.pred %p4, %p3, -1; @%p1 bra END; vote.sync.any.pred %p5, %p3, -1; ' +
      'selp.u32 %r5, 1, 0, %p5;',
    () => 0,
  ],
  'redux.sync': ['redux.sync.add.u32 %r5, %r2, -1;', () => 20 * 100 + 190],
  'match.sync': [
    'selp.u32 %r3, 1, 2, %p2; match.any.sync.b32 %r5, %r3, -1;',
    (t) => (t < 5 ? 0x1f : lanesBelow20 - 0x1f),
  ],
  'shfl.sync between lanes that are left': ['shfl.sync.bfly.b32 %r5, %r2, 1, 31, -1;', (t) => (t ^ 1) + 100],
};

describe('lanes that have ended are not awaited', () => {
  it.each(Object.entries(exchanges))('by %s', async (name, [body, wanted]) => {
    const leaves = name.includes('ended since') ? '' : leave;
    for (const report of await both(`${leaves} ${body}`, wanted))
      expect([report?.verdict, report?.findings, report?.approximations]).toEqual(['clean', [], []]);
  });

  it('by elect.sync, whose leader is left too', async () => {
    const elects = 'setp.lt.u32 %p3, %r1, 4; @%p3 bra END; elect.sync %r3|%p4, -1; selp.u32 %r5, 1, 0, %p4;';
    const [checked, explored] = await both(`${elects} @%p1 bra END;`, (t) => Number(t === 4));
    expect([checked?.findings, explored?.findings]).toEqual([[], []]);
  });

  it('but a barrier of the warp still orders the memory of those that are left', async () => {
    const exchange = (sync: string): string =>
      `${leave} st.shared.u32 [%r10], %r2; ${sync} xor.b32 %r3, %r11, 4; mov.u32 %r4, words; add.u32 %r3, %r3, %r4; ` +
      'ld.shared.u32 %r5, [%r3];';
    const wanted = (t: number): number => (t ^ 1) + 100;
    for (const report of await both(exchange('bar.warp.sync -1;'), wanted)) expect(report?.verdict).toBe('clean');
    for (const report of await both(exchange(''), wanted)) expect(report?.findings[0]?.kind).toBe('race');
  });

  it('and a barrier that a lane has not reached, although it runs on, is', async () => {
    const [checked, explored] = await both(
      'setp.eq.u32 %p3, %r1, 3; @%p3 bra WAIT; bar.warp.sync -1; bra END; WAIT: ld.volatile.global.u32 %r5, [%rd1]; ' +
        'setp.eq.u32 %p4, %r5, 0; @%p4 bra WAIT;',
      () => 0,
    );
    for (const report of [checked, explored]) expect(report?.findings.map(({ kind }) => kind)).toEqual(['deadlock']);
  });
});

describe('a shuffle from a lane that takes no part', () => {
  it.each([
    ['that has ended', `${leave} shfl.sync.down.b32 %r5, %r2, 16, 31, -1;`, (t: number) => (t < 4 ? t + 116 : t + 100)],
    [
      'that is not in the mask',
      '@!%p2 bra OTHER; shfl.sync.bfly.b32 %r5, %r2, 4, 31, 0x1f; bra STORE; OTHER: mov.u32 %r5, 7; @%p1 bra END; STORE:',
      (t: number) => (t >= 5 ? 7 : (t ^ 4) < 5 ? (t ^ 4) + 100 : t + 100),
    ],
  ])('is named, and is the own value: %s', async (_, body, wanted) => {
    for (const report of await both(body, wanted)) {
      expect(report?.verdict).toBe('clean');
      expect(report?.approximations.map(approximationText)).toEqual([
        expect.stringMatching(
          /^the value of a lane that takes no part in an exchange as the reader's own value \(k\.ptx:\d+:\d+\)$/,
        ),
      ]);
    }
  });
});
