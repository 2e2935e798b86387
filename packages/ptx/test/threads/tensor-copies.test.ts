import { describe, expect, inject, it } from 'vitest';
import { tensorMapLayout, tensorMapMark } from '@nccl-ts/ptx';
import { checkText, refusalOfText, runText, workEntry } from './support/run-text.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** The words of a map, whose base the entry puts into it. */
function mapWords(options: {
  readonly bytes: number;
  readonly sizes: readonly number[];
  readonly box: readonly number[];
  readonly strides: readonly number[];
  readonly swizzle?: number;
}): number[] {
  const { bytes, sizes, box, strides, swizzle = 0 } = options;
  const view = new DataView(new ArrayBuffer(tensorMapLayout.bytes));
  view.setUint32(tensorMapLayout.mark, tensorMapMark, true);
  view.setUint8(tensorMapLayout.rank, sizes.length);
  view.setUint8(tensorMapLayout.swizzle, swizzle);
  view.setUint8(tensorMapLayout.elementBytes, bytes);
  sizes.forEach((size, k) => view.setUint32(tensorMapLayout.sizes + 4 * k, size, true));
  box.forEach((size, k) => view.setUint32(tensorMapLayout.box + 4 * k, size, true));
  strides.forEach((stride, k) => view.setBigUint64(tensorMapLayout.strides + 8 * k, BigInt(stride), true));
  return Array.from({ length: 32 }, (_, i) => view.getUint32(4 * i, true));
}

const WORDS = 512;

/** Element i of the tensor. */
const element = (i: number): number => 5000 + i;

/** Copies a box of words to shared memory, waits, and stores the words of the box. */
function loadText(coordinates: readonly number[], words: number, extra: { readonly wait?: boolean } = {}): string {
  const { wait = true } = extra;
  return workEntry(`
  .shared .align 1024 .b8 tile[4096];
  .shared .align 8 .b64 bar;
  st.global.u64 [%in+8], %rd20;
  add.s64 %rd20, %in, 128;
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra READY;
  st.global.u64 [%in+8], %rd20;
  mbarrier.init.shared.b64 [bar], 1;
  fence.proxy.async.shared::cta;
  mbarrier.arrive.expect_tx.shared.b64 %rd1, [bar], ${4 * words};
  mov.u32 %r10, tile;
  mov.u32 %r11, bar;
  ${coordinates.map((one, k) => `mov.s32 %r${20 + k}, ${one};`).join(' ')}
  cp.async.bulk.tensor.${coordinates.length}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r10], [%in, {${coordinates.map((_, k) => `%r${20 + k}`).join(', ')}}], [%r11];
READY:
  bar.sync 0;
${wait ? 'WAIT:\n  mbarrier.try_wait.parity.shared.b64 %p1, [bar], 0;\n  @!%p1 bra WAIT;' : ''}
  mov.u32 %r1, %r0;
NEXT:
  setp.ge.u32 %p2, %r1, ${words};
  @%p2 bra DONE;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, tile;
  add.u32 %r3, %r3, %r2;
  ld.shared.u32 %r4, [%r3];
  cvt.u64.u32 %rd2, %r2;
  add.s64 %rd3, %out, %rd2;
  st.global.u32 [%rd3], %r4;
  add.u32 %r1, %r1, 32;
  bra NEXT;
DONE:`).replace('  st.global.u64 [%in+8], %rd20;\n  add.s64', '  add.s64');
}

const tensor = Array.from({ length: WORDS }, (_, i) => element(i));

/** 8 rows of 16 words, of which 13 are the tensor's; a box of 3 rows of 8. */
const flat = { bytes: 4, sizes: [13, 8], box: [8, 3], strides: [64] };

/** The box by its definition. */
function boxOf(
  { sizes, box, strides }: Pick<typeof flat, 'sizes' | 'box' | 'strides'>,
  coordinates: readonly number[],
): number[] {
  const found: number[] = [];
  const visit = (k: number, place: number, isInside: boolean): void => {
    for (let i = 0; i < (box[k] ?? 0); i++) {
      const c = (coordinates[k] ?? 0) + i;
      const inside = isInside && c >= 0 && c < (sizes[k] ?? 0);
      const next = place + (k === 0 ? c : c * ((strides[k - 1] ?? 0) / 4));
      if (k === 0) found.push(inside ? element(next) : 0);
      else visit(k - 1, next, inside);
    }
  };
  visit(box.length - 1, 0, true);
  return found;
}

describe('a tensor copy to shared memory', () => {
  it.each(
    [
      [0, 0],
      [4, 2],
      [5, 1],
      [8, 6],
      [-3, -1],
      [20, 3],
    ].filter((_, i) => (i % 3 === 0) !== inject('slow')),
  )('reads the box at %i, %i, and zeros outside of the tensor', async (x, y) => {
    const text = loadText([x, y], 24);
    expect((await runText(text, { given: [...mapWords(flat), ...tensor] })).slice(0, 24)).toEqual(boxOf(flat, [x, y]));
  });

  it.each(['js', 'wasm'] as const)('reads three dimensions: %s', async (engine) => {
    const map = { bytes: 4, sizes: [4, 5, 3], box: [4, 2, 2], strides: [16, 128] };
    const words = await runText(loadText([0, 4, 1], 16), { given: [...mapWords(map), ...tensor], engine });
    expect(words.slice(0, 16)).toEqual(boxOf(map, [0, 4, 1]));
  });

  it.each([
    [1, 8],
    [2, 16],
    [3, 32],
  ])('exchanges parts of lines by swizzle %i', async (swizzle, width) => {
    const map = { bytes: 4, sizes: [width, 16], box: [width, 8], strides: [128] };
    const words = await runText(loadText([0, 0], width * 8), { given: [...mapWords({ ...map, swizzle }), ...tensor] });
    const wanted: number[] = [];
    boxOf(map, [0, 0]).forEach((value, i) => {
      const at = 4 * i;
      const moved = at ^ (((at >> 7) & (2 ** swizzle - 1)) << 4);
      wanted[moved / 4] = value;
    });
    expect(words.slice(0, width * 8)).toEqual(wanted);
  });

  it.for(slow)('is clean after its mbarrier, and races with a load that does not wait', async () => {
    const given = [...mapWords(flat), ...tensor];
    expect((await checkText(loadText([4, 2], 24), { given })).findings).toEqual([]);
    const report = await checkText(loadText([4, 2], 24, { wait: false }), { given });
    expect(report.findings.map(({ kind }) => kind)).toContain('race');
  });

  it('reads a map in a parameter', async () => {
    const body = loadText([4, 2], 24)
      .replace('[%in, {', '[%rd9, {')
      .replace('st.global.u64 [%in+8], %rd20;', '')
      .replace('.param .u64 work_out)', '.param .u64 work_out, .param .align 64 .b8 work_map[128])')
      .replace('mov.u32 %r10, tile;', 'mov.b64 %rd9, work_map;\n  cvta.param.u64 %rd9, %rd9;\n  mov.u32 %r10, tile;');
    expect(refusalOfText(body)).toEqual([]);
  });

  it.for(slow)('fails for memory that is no map, and for one of another rank', async () => {
    await expect(runText(loadText([0, 0], 24), { given: [1, 2, ...tensor] })).rejects.toThrow(/tensor map is none/u);
    await expect(runText(loadText([0, 0, 0], 24), { given: [...mapWords(flat), ...tensor] })).rejects.toThrow(
      /does not have 3 dimensions/u,
    );
  });

  it('is refused in other modes', () => {
    const text = workEntry(
      'cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%r1], [%in, {%r2, %r3, %r4}], [%r5], {%h1};',
    );
    expect(refusalOfText(text).join('\n')).toContain('im2col');
  });
});

describe('a tensor copy to global memory', () => {
  const storeText = (wait: string, after = ''): string =>
    workEntry(`
  .shared .align 1024 .b8 tile[4096];
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra NOT;
  st.global.u64 [%in+8], %out;
NOT:
  shl.b32 %r2, %r0, 2;
  mov.u32 %r3, tile;
  add.u32 %r3, %r3, %r2;
  add.u32 %r4, %r0, 100;
  st.shared.u32 [%r3], %r4;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @%p0 bra DONE;
  mov.u32 %r10, tile;
  cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%in, {5, -1}], [%r10];
  cp.async.bulk.commit_group;
  ${wait}
  ${after}
DONE:`);

  it('writes the part of the box that is in the tensor', async () => {
    const words = await runText(storeText('cp.async.bulk.wait_group 0;'), { given: mapWords(flat) });
    const wanted = Array.from({ length: 128 }, (_, i) => {
      const [x, y] = [(i % 16) - 5, Math.floor(i / 16) + 1];
      return x >= 0 && x < 8 && y < 3 && i % 16 < 13 ? 100 + y * 8 + x : 0;
    });
    expect(words.slice(0, 128)).toEqual(wanted);
  });

  it('ends at its wait', async () => {
    const after = 'st.global.u32 [%out+20], 1;';
    const given = mapWords(flat);
    const kinds = async (wait: string): Promise<readonly string[]> =>
      (await checkText(storeText(wait, after), { given })).findings.map(({ kind }) => kind);
    expect(await kinds('cp.async.bulk.wait_group 0;')).toEqual([]);
    expect(await kinds('cp.async.bulk.wait_group.read 0;')).toContain('race');
  });
});

describe('a reducing copy', () => {
  const reduceText = (copy: string, wait = 'cp.async.bulk.wait_group 0;'): string =>
    workEntry(`
  .shared .align 1024 .b8 tile[4096];
  setp.ne.u32 %p0, %r0, 0;
  @%p0 bra NOT;
  st.global.u64 [%in+8], %out;
NOT:
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd2, %out, %rd1;
  mov.u32 %r5, 1000;
  st.global.u32 [%rd2], %r5;
  shl.b32 %r2, %r0, 2;
  mov.u32 %r3, tile;
  add.u32 %r3, %r3, %r2;
  add.u32 %r4, %r0, 1;
  st.shared.u32 [%r3], %r4;
  fence.proxy.async;
  bar.sync 0;
  @%p0 bra DONE;
  mov.u32 %r10, tile;
  ${copy}
  cp.async.bulk.commit_group;
  ${wait}
  atom.global.add.u32 %r11, [%out+4], 0;
  st.global.u32 [%out+256], %r11;
DONE:`);
  const plain = 'cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%out], [%r10], 64;';
  const mapped = 'cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group [%in, {0, 0}], [%r10];';
  const words = (): number[] => {
    const given = mapWords({ bytes: 4, sizes: [6, 2], box: [8, 2], strides: [64] });
    // The type of an element is u32.
    given[1] = (given[1] ?? 0) | (2 << 24);
    return given;
  };

  it('adds each element', async () => {
    const got = await runText(reduceText(plain));
    expect(got.slice(0, 32)).toEqual(Array.from({ length: 32 }, (_, i) => (i < 16 ? 1001 + i : 1000)));
  });

  it('updates the elements that are in the tensor', async () => {
    const text = reduceText(mapped).replace('mov.u32 %r5, 1000;', 'mov.u32 %r5, 3;');
    const got = await runText(text, { given: words() });
    const wanted = Array.from({ length: 32 }, (_, i) => (i % 16 < 6 ? Math.max(3, 1 + (i >> 4) * 8 + (i % 16)) : 3));
    expect(got.slice(0, 32)).toEqual(wanted);
  });

  it('ends at its wait', async () => {
    const kinds = async (text: string): Promise<readonly string[]> =>
      (await checkText(text, { given: words(), strategy: 'random' })).findings
        .filter(({ severity }) => severity === 'error')
        .map(({ kind }) => kind);
    expect(await kinds(reduceText(plain))).toEqual([]);
    expect(await kinds(reduceText(mapped))).toEqual([]);
    const early = reduceText(plain, 'st.global.u32 [%out+8], 5;');
    expect(await kinds(early)).toContain('race');
  });

  it('is refused for an operation that a type has not', () => {
    const text = workEntry('cp.reduce.async.bulk.global.shared::cta.bulk_group.and.f32 [%out], [%r10], 64;');
    expect(refusalOfText(text).join('\n')).toContain('does not support .and with .f32');
  });
});
