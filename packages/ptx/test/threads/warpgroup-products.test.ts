import { describe, expect, inject, it } from 'vitest';
import { checkText, refusalOfText, runText, workEntry } from './support/run-text.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

interface Tile {
  /** The fields of a descriptor, in bytes. */
  readonly start: number;
  readonly leading: number;
  readonly stride: number;
  /** 0 for none, 1 for 128 bytes, 2 for 64, 3 for 32. */
  readonly mode: number;
}

function descriptor({ start, leading, stride, mode }: Tile): string {
  const at = (bytes: number): bigint => BigInt(bytes / 16);
  return `${at(start) | (at(leading) << 16n) | (at(stride) << 32n) | (BigInt(mode) << 62n)}`;
}

interface Steps {
  readonly a?: Tile;
  readonly b: Tile;
  readonly transposed?: readonly [number, number];
  /** Before the product, between its commit and the wait, and after it. */
  readonly before?: string;
  readonly meanwhile?: string;
  readonly wait?: string;
}

const fence = 'fence.proxy.async.shared::cta;\n  bar.sync 0;';
const b = { start: 16384, leading: 128, stride: 256, mode: 0 };
const a = { start: 0, leading: 128, stride: 256, mode: 0 };

/** A warpgroup fills 32 KiB of shared memory and multiplies 64 x 16 by 16 x 8. */
function productText({ a: tileA, b: tileB, transposed = [0, 0], ...steps }: Steps): string {
  const { before = fence, meanwhile = '', wait = 'wgmma.wait_group.sync.aligned 0;' } = steps;
  const ofA = tileA === undefined ? '{%r20, %r21, %r22, %r23}' : '%rd8';
  const flags = tileA === undefined ? `${transposed[1]}` : transposed.join(', ');
  return workEntry(`
  .shared .align 1024 .b8 tile[32768];
  shl.b32 %r1, %r0, 2;
  mov.u32 %r2, 0;
FILL:
  st.shared.u32 [%r1], %r0;
  add.u32 %r1, %r1, 512;
  add.u32 %r2, %r2, 1;
  setp.lt.u32 %p0, %r2, 64;
  @%p0 bra FILL;
  mov.f32 %f1, 0f00000000;
  mov.f32 %f2, %f1; mov.f32 %f3, %f1; mov.f32 %f4, %f1;
  mov.b32 %r20, %r0; mov.b32 %r21, %r0; mov.b32 %r22, %r0; mov.b32 %r23, %r0;
  ${before}
  mov.u64 %rd8, ${tileA === undefined ? 0 : descriptor(tileA)};
  mov.u64 %rd9, ${descriptor(tileB)};
  setp.ne.u32 %p3, %r0, 999;
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%f1, %f2, %f3, %f4}, ${ofA}, %rd9, %p3, 1, 1, ${flags};
  wgmma.commit_group.sync.aligned;
  setp.eq.u32 %p1, %r0, 0;
  ${meanwhile}
  ${wait}
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd2, %out, %rd1;
  st.global.f32 [%rd2], %f1;
  @%p1 st.shared.u32 [tile+16384], %r0;`);
}

const block = 128;

async function findings(steps: Steps): Promise<readonly string[]> {
  const { findings: found } = await checkText(productText(steps), { block, strategy: 'random' });
  return [...new Set(found.filter(({ severity }) => severity === 'error').map(({ kind }) => kind))];
}

describe('wgmma', () => {
  it('reads its matrices until the thread waits for its group', async () => {
    expect(await findings({ a, b })).toEqual([]);
    expect(await findings({ b })).toEqual([]);
    expect(await findings({ a, b, wait: 'wgmma.wait_group.sync.aligned 1;' })).toEqual(['race']);
    expect(await findings({ a, b, wait: '' })).toEqual(['race']);
  });

  it.for(slow)('has groups of its own', async () => {
    expect(await findings({ a, b, wait: 'cp.async.bulk.wait_group 0;' })).toEqual(['race']);
  });

  it.for(slow)('needs a proxy fence after stores to its matrices, and a barrier', async () => {
    expect(await findings({ a, b, before: 'bar.sync 0;' })).toEqual(['proxy']);
    expect(await findings({ a, b, before: 'fence.proxy.async.shared::cta;' })).toContain('race');
  });

  it('names its values as unknown', async () => {
    const report = await checkText(productText({ a, b }), { block, strategy: 'random' });
    expect(report.approximations.map(({ how }) => how)).toEqual(['the values of wgmma as unknown']);
    const words = await runText(productText({ a, b }), { block });
    expect(words.slice(0, block).every((word) => word !== 0)).toBe(true);
  });

  const layouts: readonly (readonly [
    string,
    Tile,
    readonly [number, number],
    (row: number, part: number) => number,
  ])[] = [
    ['rows of 16 bytes', { ...b, leading: 512, stride: 1024 }, [0, 0], (row, part) => 16 * row + 512 * part],
    [
      'rows of 32 bytes',
      { ...b, mode: 3, stride: 256 },
      [0, 0],
      (row, part) => (32 * row + 16 * part) ^ ((row >> 2) << 4),
    ],
    [
      'rows of 64 bytes',
      { ...b, mode: 2, stride: 512 },
      [0, 0],
      (row, part) => (64 * row + 16 * part) ^ ((row >> 1) << 4),
    ],
    ['rows of 128 bytes', { ...b, mode: 1, stride: 1024 }, [0, 0], (row, part) => (128 * row + 16 * part) ^ (row << 4)],
    // Eight columns are 16 bytes of each of 16 rows of k.
    [
      'transposed rows of 128 bytes',
      { ...b, mode: 1, stride: 2048 },
      [0, 1],
      (row, part) => (128 * row + 2048 * part) ^ (row << 4),
    ],
  ];

  it.each(layouts.filter((_, i) => (i === 0) !== inject('slow')))(
    'reads the bytes of %s, and no others',
    async (_, tile, transposed, placeOf) => {
      const places = new Set([0, 1].flatMap((part) => [0, 1, 2, 3, 4, 5, 6, 7].map((row) => placeOf(row, part))));
      const near = [...places].flatMap((place) => [place, place + 16, place + 32, place + 128]);
      const inside = near.filter((place) => places.has(place));
      const outside = near.filter((place) => !places.has(place));
      const stores = (some: readonly number[]): string =>
        [...new Set(some)].map((place) => `@%p1 st.shared.u32 [tile+${tile.start + place}], 1;`).join('\n  ');
      expect(await findings({ a, b: tile, transposed, meanwhile: stores(outside) })).toEqual([]);
      for (const place of [inside[0] ?? 0, inside.at(-1) ?? 0]) {
        expect(await findings({ a, b: tile, transposed, meanwhile: stores([place]) })).toEqual(['race']);
      }
    },
  );

  it('needs the registers of its shape', () => {
    const text = workEntry('wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f1}, %rd1, %rd2, 1, 1, 1, 0, 0;');
    expect(refusalOfText(text).join('\n')).toContain('needs 8 registers of D');
  });
});
