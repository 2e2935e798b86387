import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, World } from '@nccl-ts/communicator';
import { describe, expect, inject, it } from 'vitest';
import { importKernel } from '../../src/import-kernel.ts';
import type { ImportOptions } from '../../src/import-options.ts';
import { parsePtx } from '../../src/syntax/parse-ptx.ts';

type Size = NonNullable<ImportOptions['cluster']>;

interface Launch extends Pick<SimOptions, 'engine' | 'residentCtas'> {
  readonly grid: Size;
  readonly block?: number;
  readonly cluster?: Size;
  readonly directives?: string;
}

const WORDS = 256;
const grid: Size = { x: 4, y: 6, z: 2 };
const cluster: Size = { x: 2, y: 3, z: 2 };

/**
 * Runs an entry on one rank. `%rd1` is the address of the words that are returned, 0 at first, and
 * `%r1` is the number of the CTA.
 */
async function run(
  body: string,
  { grid: ctas, block = 1, directives = '', ...given }: Launch,
): Promise<readonly number[]> {
  const text = `.version 8.5
.target sm_90
.address_size 64
.visible .entry k(.param .u64 mem) ${directives}
{
  .reg .pred %p<9>;
  .reg .b32 %r<40>;
  .reg .b64 %rd<20>;
  .shared .align 16 .b8 sm[64];
  ld.param.u64 %rd1, [mem];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ctaid.y; mov.u32 %r3, %ctaid.z;
  mad.lo.u32 %r2, %r3, ${ctas.y}, %r2; mad.lo.u32 %r1, %r2, ${ctas.x}, %r1;
  mul.wide.u32 %rd2, %r1, 4; add.u64 %rd2, %rd1, %rd2;
  ${body}
  ret;
}
`;
  const { module } = parsePtx(text, 'k.ptx');
  if (module === undefined) throw new Error('the text is not PTX');
  const { engine = 'js', residentCtas = 128, cluster: size } = given;
  const { kernel, params } = importKernel(module, { entry: 'k', ...(size === undefined ? {} : { cluster: size }) });
  await using world = await World.open({ backend: sim({ ranks: 1, engine, residentCtas }) });
  const [out = []] = await world.run(async (comm) => {
    const window = await comm.allocWindow('u32', WORDS);
    const address = BigInt(getLsaDevicePointer(window, 0, comm.rank)?.address ?? 0);
    await comm.launch(kernel, { grid: ctas, block }, Object.fromEntries(params.map(({ name }) => [name, address])));
    await comm.synchronize();
    return [...(await window.read())];
  });
  return out.slice(0, ctas.x * ctas.y * ctas.z);
}

/** The values of a function for all CTAs, in the order of their numbers. */
function perCta(value: (x: number, y: number, z: number) => number): readonly number[] {
  return Array.from({ length: grid.x * grid.y * grid.z }, (_, index) =>
    value(index % grid.x, Math.floor(index / grid.x) % grid.y, Math.floor(index / (grid.x * grid.y))),
  );
}

const store = (register: string): string => `mov.u32 %r9, ${register}; st.global.u32 [%rd2], %r9;`;
const rankOf = (x: number, y: number, z: number): number => (x % 2) + 2 * ((y % 3) + 3 * (z % 2));

describe('the place of a CTA in its cluster', () => {
  const values: readonly (readonly [string, (x: number, y: number, z: number) => number])[] = [
    ['%cluster_ctaid.x', (x) => x % 2],
    ['%cluster_ctaid.y', (_, y) => y % 3],
    ['%cluster_ctaid.z', (_, __, z) => z % 2],
    ['%cluster_nctaid.y', () => 3],
    ['%clusterid.x', (x) => Math.floor(x / 2)],
    ['%clusterid.y', (_, y) => Math.floor(y / 3)],
    ['%nclusterid.x', () => 2],
    ['%nclusterid.z', () => 1],
    ['%cluster_ctarank', rankOf],
    ['%cluster_nctarank', () => 12],
  ];

  it.each(values)('is in %s', async (register, value) => {
    expect(await run(store(register), { grid, cluster })).toEqual(perCta(value));
  });

  it('is the same whether the launch or the entry sets the size', async () => {
    const body = store('%cluster_ctarank');
    expect(await run(body, { grid, directives: '.explicitcluster .reqnctapercluster 2, 3, 2' })).toEqual(
      perCta(rankOf),
    );
    const flag = 'selp.u32 %r9, 1, 0, %is_explicit_cluster; st.global.u32 [%rd2], %r9;';
    expect(await run(flag, { grid: { x: 2, y: 1, z: 1 }, cluster: { x: 2, y: 1, z: 1 } })).toEqual([1, 1]);
    expect(await run(flag, { grid: { x: 2, y: 1, z: 1 } })).toEqual([0, 0]);
  });
});

describe('shared memory of the cluster', () => {
  const sync = 'barrier.cluster.arrive; barrier.cluster.wait;';
  /**
   * Each CTA stores its number to the next one of its cluster, which stores it to global memory.
   */
  const toNext = (address: string): string => `mov.u32 %r4, %cluster_ctarank; mov.u32 %r5, %cluster_nctarank;
    add.u32 %r6, %r4, 1; rem.u32 %r6, %r6, %r5; mov.u32 %r7, sm; ${address} ${sync}
    ld.shared.u32 %r9, [sm+4]; st.global.u32 [%rd2], %r9; ${sync}`;
  const next = perCta((x, y, z) => {
    const before = (rankOf(x, y, z) + 11) % 12;
    const [bx, by, bz] = [before % 2, Math.floor(before / 2) % 3, Math.floor(before / 6)];
    return x - (x % 2) + bx + 4 * (y - (y % 3) + by + 6 * (z - (z % 2) + bz));
  });
  const addresses = [
    ['of shared memory', 'mapa.shared::cluster.u32 %r8, %r7, %r6; st.shared::cluster.u32 [%r8+4], %r1;'],
    ['of a variable', 'mapa.shared::cluster.u32 %r8, sm, %r6; st.shared::cluster.u32 [%r8+4], %r1;'],
    [
      'of 64 bits',
      'cvt.u64.u32 %rd3, %r7; mapa.shared::cluster.u64 %rd4, %rd3, %r6; st.shared::cluster.u32 [%rd4+4], %r1;',
    ],
    ['that are generic', 'cvta.shared.u64 %rd3, sm; mapa.u64 %rd4, %rd3, %r6; st.u32 [%rd4+4], %r1;'],
    [
      'in memory',
      'cvta.shared.u64 %rd3, sm; mapa.u64 %rd4, %rd3, %r6; st.shared.u64 [sm+8], %rd4; ld.shared.u64 %rd5, [sm+8]; st.u32 [%rd5+4], %r1;',
    ],
    [
      'by a bit',
      'shl.b32 %r10, %r6, 24; and.b32 %r8, %r7, 0xffffff; or.b32 %r8, %r8, %r10; st.shared::cluster.u32 [%r8+4], %r1;',
    ],
  ] as const;

  it.each(addresses.filter((_, i) => (i % 3 === 0) !== inject('slow')))(
    'is reached by addresses %s',
    async (_, address) => {
      expect(await run(toNext(address), { grid, cluster })).toEqual(next);
      expect(await run(toNext(address), { grid, cluster, engine: 'wasm' })).toEqual(next);
    },
  );

  it('runs if a device holds one cluster at a time, and not if it holds none', async () => {
    const [, address] = addresses[0];
    expect(await run(toNext(address), { grid, cluster, residentCtas: 12 })).toEqual(next);
    expect(await run(toNext(address), { grid, cluster, residentCtas: 13 })).toEqual(next);
    await expect(run(toNext(address), { grid, cluster, residentCtas: 11 })).rejects.toThrow(
      /the 12 CTAs of a cluster run together, but the device holds 11/,
    );
  });

  it('tells the rank of an address', async () => {
    const body = (address: string): string => `mov.u32 %r7, sm; ${address} st.global.u32 [%rd2], %r9;`;
    const own = 'getctarank.shared::cluster.u32 %r9, %r7;';
    expect(await run(body(own), { grid, cluster })).toEqual(perCta(rankOf));
    const mapped = 'mapa.shared::cluster.u32 %r8, %r7, 5; getctarank.shared::cluster.u32 %r9, %r8;';
    expect(await run(body(mapped), { grid, cluster })).toEqual(perCta(() => 5));
    const generic = 'cvta.shared.u64 %rd3, sm; mapa.u64 %rd4, %rd3, 7; getctarank.u64 %r9, %rd4;';
    expect(await run(body(generic), { grid, cluster })).toEqual(perCta(() => 7));
  });

  it('is only in part that of the CTA', async () => {
    const test = (space: string): string => `cvta.shared.u64 %rd3, sm; mapa.u64 %rd4, %rd3, 0;
      isspacep.${space} %p1, %rd4; selp.u32 %r9, 1, 0, %p1; st.global.u32 [%rd2], %r9;`;
    expect(await run(test('shared::cta'), { grid, cluster })).toEqual(perCta((...at) => Number(rankOf(...at) === 0)));
    expect(await run(test('shared::cluster'), { grid, cluster })).toEqual(perCta(() => 1));
    expect(await run(test('shared::cta'), { grid })).toEqual(perCta(() => 1));
  });

  it('ends at the last CTA', async () => {
    await expect(
      run(`mapa.shared::cluster.u32 %r8, sm, 12; ld.shared::cluster.u32 %r9, [%r8];`, { grid, cluster }),
    ).rejects.toThrow(/shared/);
  });
});

describe('the barrier of a cluster', () => {
  it('is used in turns', async () => {
    const launch = { grid: { x: 2, y: 1, z: 1 }, cluster: { x: 2, y: 1, z: 1 } };
    await expect(run('barrier.cluster.arrive; barrier.cluster.arrive;', launch)).rejects.toThrow(
      /arrives at the barrier of its cluster again/,
    );
    await expect(run('barrier.cluster.wait;', launch)).rejects.toThrow(/without having arrived/);
  });

  it('takes the lanes of a warp from one instruction, if it is aligned', async () => {
    const body = (
      aligned: string,
    ): string => `mov.u32 %r4, %tid.x; setp.eq.u32 %p1, %r4, 3; @%p1 bra L; barrier.cluster.arrive${aligned}; bra M;
      L: barrier.cluster.arrive${aligned}; M: barrier.cluster.wait; st.global.u32 [%rd2], 1;`;
    const launch = { grid: { x: 2, y: 1, z: 1 }, cluster: { x: 2, y: 1, z: 1 }, block: 32 };
    expect(await run(body(''), launch)).toEqual([1, 1]);
    await expect(run(body('.aligned'), launch)).rejects.toThrow(/different instructions that are .aligned/);
  });
});

describe('a launch with clusters', () => {
  it('has whole clusters', async () => {
    await expect(run('', { grid: { x: 3, y: 1, z: 1 }, cluster: { x: 2, y: 1, z: 1 } })).rejects.toThrow(
      /a grid of 3 x 1 x 1 CTAs is not a whole number of clusters of 2 x 1 x 1/,
    );
  });

  it('has the clusters that the entry requires', async () => {
    const directives = '.reqnctapercluster 2';
    await expect(run('', { grid, cluster, directives })).rejects.toThrow(/P2006/);
    await expect(run('', { grid, directives: '.explicitcluster' })).rejects.toThrow(/P2006/);
    await expect(run('', { grid, cluster, directives: '.maxclusterrank 8' })).rejects.toThrow(/it allows 8/);
  });
});
