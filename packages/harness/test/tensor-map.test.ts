import { check } from '@nccl-ts/checker';
import type { CheckReport } from '@nccl-ts/findings';
import { harness, harnessProgram, tensorMap, translate, u32, u8, type TensorMapValue } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';
import { ImageWriter } from '../src/memory/memory-image.ts';

/** Each rank sends its tile to the next one by TMA, through shared memory, and sets its flag. */
const text = `
.version 8.4
.target sm_90
.address_size 64
.visible .entry send(.param .align 64 .b8 mine[128], .param .align 64 .b8 theirs[128],
  .param .u64 flag, .param .u64 own, .param .u64 inbox, .param .u64 out)
{
  .reg .pred %p<4>;
  .reg .b32 %r<16>;
  .reg .b64 %rd<16>;
  .shared .align 1024 .b8 tile[1024];
  .shared .align 8 .b64 bar;
  mov.u32 %r0, %tid.x;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra OTHERS;
  mbarrier.init.shared.b64 [bar], 1;
  fence.mbarrier_init.release.cluster;
  mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], 256;
  mov.b64 %rd2, mine;
  cvta.param.u64 %rd3, %rd2;
  mov.u32 %r1, tile;
  mov.u32 %r2, bar;
  mov.u32 %r3, 0;
  prefetch.param.tensormap [%rd2];
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd3, {%r3, %r3}], [%r2];
WAIT:
  mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;
  @!%p1 bra WAIT;
  mov.b64 %rd4, theirs;
  cvta.param.u64 %rd5, %rd4;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd5, {%r3, %r3}], [%r1];
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group 0;
  fence.proxy.async.global;
  ld.param.u64 %rd6, [flag];
  st.release.sys.global.u32 [%rd6], 1;
OTHERS:
  ld.param.u64 %rd7, [own];
LOOK:
  ld.acquire.sys.global.u32 %r4, [%rd7];
  setp.ne.u32 %p2, %r4, 1;
  @%p2 bra LOOK;
  ld.param.u64 %rd8, [inbox];
  ld.param.u64 %rd9, [out];
  mul.wide.u32 %rd10, %r0, 4;
  add.s64 %rd11, %rd8, %rd10;
  add.s64 %rd12, %rd9, %rd10;
  ld.global.u32 %r5, [%rd11];
  ld.global.u32 %r6, [%rd11+128];
  st.global.u32 [%rd12], %r5;
  st.global.u32 [%rd12+128], %r6;
  ret;
}
`;

const swizzles = ['none', '128B'] as const;

async function checked(part = '', instead = '', swizzle: TensorMapValue['swizzle'] = 'none'): Promise<CheckReport> {
  const launch = harness({
    entry: 'send',
    launches: 1,
    ranks: 2,
    grid: 1,
    block: 32,
    setup({ rank, nRanks, alloc, peer }) {
      const data = alloc(
        'data',
        u32,
        Array.from({ length: 64 }, (_, i) => 1000 * rank + i),
      );
      const inbox = alloc('inbox', u32, 64);
      const flag = alloc('flag', u32, [0]);
      const out = alloc('out', u32, 64);
      const next = (rank + 1) % nRanks;
      const map = { type: 'u32', shape: [32, 2], box: [32, 2], swizzle } as const;
      return {
        args: [
          tensorMap({ ...map, base: data }),
          tensorMap({ ...map, base: peer(inbox, next) }),
          peer(flag, next),
          flag,
          inbox,
          out,
        ],
        expect: () => out.equals((i) => 1000 * ((rank + nRanks - 1) % nRanks) + i),
      };
    },
  });
  const edited = text.replace(part, instead);
  if (part !== '' && edited === text) throw new Error('the edit changes nothing');
  return check(
    { ranks: 2, strategy: 'random', schedules: 2 },
    harnessProgram(launch, translate(launch, edited, { name: 'send.ptx' })),
  );
}

/** Rows of tests that only the quick run has. */
const quick = inject('slow') ? [] : [0];

describe('a kernel with tensor maps of peers', () => {
  it.each(swizzles.filter((_, i) => (i % 4 === 0) !== inject('slow')))(
    'is clean, with the right results: %s',
    async (swizzle) => {
      const { verdict, findings } = await checked('', '', swizzle);
      expect([verdict, ...findings.map(({ message }) => message)]).toEqual(['clean']);
    },
  );

  const again = 'mbarrier.inval.shared.b64 [bar];\n  mbarrier.init.shared.b64 [bar], 1;\n';

  it.for(quick)('may make its mbarrier again once the copy has counted its bytes', async () => {
    const { findings } = await checked('  mov.b64 %rd4, theirs;', `  ${again}  mov.b64 %rd4, theirs;`);
    expect(findings.map(({ message }) => message)).toEqual([]);
  });

  it.for(quick)('must not make its mbarrier again before', async () => {
    const { findings } = await checked('WAIT:\n', `${again}WAIT:\n`);
    expect(findings.map(({ kind }) => kind)).toContain('race');
  });

  it.each(
    [
      ['the copy may still write', 'wait_group 0', 'wait_group.read 0'],
      ['the flag is relaxed', 'st.release', 'st.relaxed'],
    ].filter((_, i) => (i === 0) !== inject('slow')),
  )('races if %s', async (_, part, instead) => {
    expect((await checked(part, instead)).findings.map(({ kind }) => kind)).toContain('race');
  });
});

describe('a tensor map', () => {
  const encode = (value: object): void => tensorMap.encode(new ImageWriter(128), 0, value, 'a map');

  it.each([
    [{}, /a map must be an object with base, type, shape and box/],
    [{ base: null, type: 'u32', shape: [4], box: [4] }, /a map\.base must be memory/],
    [{ base: null, type: 'i8', shape: [4], box: [4] }, /a map\.type must be one of u8, /],
    [{ base: null, type: 'u32', shape: [4, 4], box: [4] }, /shape has 2 and box 1 dimensions/],
    [{ base: null, type: 'u32', shape: [4], box: [3] }, /box\[0\] must be a multiple of 16 bytes; given 12/],
    [{ base: null, type: 'u32', shape: [4], box: [257] }, /box\[0\]/],
    [{ base: null, type: 'u16', shape: [4, 4], box: [8, 1] }, /strides\[0\]/],
    [{ base: null, type: 'u32', shape: [64], box: [64], swizzle: '128B' }, /with swizzle 128B it has at most 128/],
    [{ base: null, type: 'u32', shape: [64], box: [4], swizzle: '16B' }, /swizzle must be one of none, 32B/],
  ] as const)('is refused as CUDA would: %j', (value, message) => {
    expect(() => encode(value)).toThrow(message);
  });

  it('has the size and alignment of a CUtensorMap', () => {
    expect([tensorMap.bytes, tensorMap.align, u8.bytes]).toEqual([128, 64, 1]);
  });
});
