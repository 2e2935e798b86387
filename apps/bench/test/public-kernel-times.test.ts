import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { harness, u32, u64, type HarnessArgument, type KernelHarness, type RankSetup } from '@nccl-ts/harness';
import { expect, test } from 'vitest';
import { predictKernel } from '../src/public-kernels/predict-kernel.ts';

/*
 * The rules of the model that micro-kernels.cu led to, each with a kernel that has nothing else, on
 * a machine on which one thing takes long.
 */

const LONG = 10_000;

const entry = (name: string, params: number, body: string): string => `
.visible .entry ${name}(${Array.from({ length: params }, (_, i) => `.param .u64 ${name}_param_${i}`).join(', ')})
{
  .reg .pred %p<4>;
  .reg .b32 %r<8>;
  .reg .b64 %rd<8>;
${Array.from({ length: params }, (_, i) => `  ld.param.u64 %rd${i}, [${name}_param_${i}];`).join('\n')}
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
${body}
DONE:
  ret;
}
`;

/** Each of the first CTAs tells its turn to the CTA of the peer, and waits for that of the peer. */
const flags = (before: string): string => `  cvt.u64.u32 %rd4, %r1;
  setp.ge.u64 %p0, %rd4, %rd3;
  @%p0 bra DONE;
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd0, %rd0, %rd4;
  add.s64 %rd1, %rd1, %rd4;
  add.s64 %rd2, %rd2, %rd4;
  ld.relaxed.sys.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, 1;
  st.relaxed.sys.global.u32 [%rd1], %r2;
${before}
WAIT:
  ld.relaxed.sys.global.u32 %r3, [%rd0];
  setp.lt.u32 %p1, %r3, %r2;
  @%p1 bra WAIT;
  st.relaxed.sys.global.u32 [%rd2], %r2;`;

const text = `.version 8.0
.target sm_90
.address_size 64
${entry('nothing', 0, '')}
${entry('flags', 4, flags(''))}
${entry('lateFlags', 4, flags('  fence.acq_rel.sys;'))}
${entry(
  'packets',
  3,
  `  ld.global.u32 %r2, [%rd2];
  add.u32 %r2, %r2, 1;
  st.global.u32 [%rd2], %r2;
  st.global.v4.u32 [%rd1], {%r2, %r2, %r2, %r2};
POLL:
  ld.volatile.global.v4.u32 {%r3, %r4, %r5, %r6}, [%rd0];
  setp.lt.u32 %p1, %r6, %r2;
  @%p1 bra POLL;`,
)}
${entry('fences', 0, '  fence.acq_rel.sys;')}
${entry('clusters', 0, '  barrier.cluster.arrive;\n  barrier.cluster.wait;\n  barrier.cluster.arrive;\n  barrier.cluster.wait;')}
${entry(
  'swaps',
  2,
  `SET:
  atom.global.release.sys.cas.b32 %r2, [%rd1], 0, 1;
  setp.ne.u32 %p0, %r2, 0;
  @%p0 bra SET;
TAKE:
  atom.global.relaxed.sys.cas.b32 %r3, [%rd0], 1, 0;
  setp.ne.u32 %p1, %r3, 1;
  @%p1 bra TAKE;`,
)}
${entry(
  'sends',
  2,
  `  mul.wide.u32 %rd2, %r0, 8;
  add.s64 %rd0, %rd0, %rd2;
  shr.u32 %r2, %r0, 5;
  cvt.u64.u32 %rd3, %r2;
  setp.ge.u64 %p0, %rd3, %rd1;
  @%p0 bra DONE;
  mov.u32 %r3, 0;
MORE:
  st.relaxed.sys.global.u64 [%rd0], %rd1;
  add.u32 %r3, %r3, 1;
  setp.lt.u32 %p1, %r3, 16;
  @%p1 bra MORE;`,
)}`;

async function timeOf(
  name: string,
  machine: SimTraceOptions,
  shape: Partial<Pick<KernelHarness, 'grid' | 'block' | 'cluster' | 'programmatic'>> = {},
  args: (setup: RankSetup) => readonly HarnessArgument[] = () => [],
): Promise<number> {
  const described = harness({
    kernel: 'kernels.ptx',
    entry: name,
    ranks: 2,
    grid: 1,
    block: 1,
    ...shape,
    launches: 1,
    setup: (setup) => ({ args: args(setup) }),
  });
  return predictKernel(described, (file) => ({ name: file ?? '', text }), machine);
}

/** The time that a cost adds. */
async function added(cost: SimTraceOptions, time: (machine: SimTraceOptions) => Promise<number>): Promise<number> {
  return (await time(cost)) - (await time({}));
}

test('a launch that may not overlap takes longer', async () => {
  const plain = { launchPlain: LONG };
  expect(await added(plain, async (machine) => timeOf('nothing', machine, { programmatic: false }))).toBeCloseTo(LONG);
  expect(await added(plain, async (machine) => timeOf('nothing', machine, { programmatic: true }))).toBeCloseTo(0);
});

test.each(['flags', 'lateFlags'])('a launch of %s takes longer by the CTAs that poll for a peer', async (name) => {
  const time = (active: bigint) => async (machine: SimTraceOptions) =>
    // The late ones have come long before.
    timeOf(name, { ...machine, fenceTime: LONG }, { grid: 8 }, ({ rank, alloc, peer }) => {
      const mine = alloc('flags', u32, 8, () => 0);
      return [mine, peer(mine, 1 - rank), alloc('turns', u32, 8, () => 0), active];
    });
  const byCtas: SimTraceOptions = {
    launchByCtas: [
      [1, 0],
      [8, LONG],
    ],
  };
  expect(await added(byCtas, time(8n))).toBeCloseTo(LONG);
  expect(await added(byCtas, time(1n))).toBeCloseTo(0);
});

test('a plain store of a packet for which a peer polls takes its way', async () => {
  const time = async (machine: SimTraceOptions) =>
    timeOf('packets', machine, {}, ({ rank, alloc, peer }) => {
      const mine = alloc('packets', u32, 4, () => 0);
      return [mine, peer(mine, 1 - rank), alloc('turns', u32, 1, () => 0)];
    });
  expect(await added({ nvlink: { latency: LONG } }, time)).toBeGreaterThan(0.9 * LONG);
});

test('fences of many CTAs take longer', async () => {
  const byCtas: SimTraceOptions = {
    fenceByCtas: [
      [1, 0],
      [8, LONG],
    ],
  };
  expect(await added(byCtas, async (machine) => timeOf('fences', machine, { grid: 8 }))).toBeCloseTo(LONG);
  expect(await added(byCtas, async (machine) => timeOf('fences', machine, { grid: 1 }))).toBeCloseTo(0);
});

test('the CTAs of a cluster take time to meet', async () => {
  const time = async (machine: SimTraceOptions) => timeOf('clusters', machine, { grid: 4, block: 64, cluster: 4 });
  expect((await time({ clusterTime: LONG })) - (await time({ clusterTime: 0 }))).toBeCloseTo(2 * LONG);
});

test('the tries of a compare-and-swap that fail take no time of their own', async () => {
  const time = async (machine: SimTraceOptions) =>
    timeOf('swaps', machine, {}, ({ rank, alloc, peer }) => {
      const mine = alloc('flags', u32, 1, () => 0);
      return [mine, peer(mine, 1 - rank)];
    });
  // A rank releases once.
  expect(await added({ fenceTime: LONG }, time)).toBeLessThan(1.2 * LONG);
});

test('a warp that sends alone takes no turns', async () => {
  const sends = (warps: bigint) => async (machine: SimTraceOptions) =>
    timeOf('sends', machine, { block: 512 }, ({ rank, alloc, peer }) => {
      const inbox = alloc('inbox', u64, 512, () => 0n);
      return [peer(inbox, 1 - rank), warps];
    });
  const slow: SimTraceOptions = { ctaBandwidth: 1 };
  const [one, all] = [await sends(1n)(slow), await sends(16n)(slow)];
  expect(all).toBeGreaterThan(8 * one);
});
