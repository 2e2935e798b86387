import { applyPatch } from 'diff';
import { entryOf, readPtxModule } from '@nccl-ts/harness';
import { diffOf, edited, placesOf } from '@nccl-ts/relax';
import { describe, expect, it } from 'vitest';

function placesIn(...instructions: readonly string[]): ReturnType<typeof placesOf> {
  const text = `.version 8.8
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 k_param_0)
{
  .reg .pred %p<3>;
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ${instructions.join('\n  ')}
  ret;
}
`;
  const module = readPtxModule(text, 'k.ptx');
  return placesOf(module, entryOf(module, 'k'));
}

describe('the weaker forms of an instruction', () => {
  it.each<[string, readonly (readonly [string, string])[]]>([
    ['bar.sync 0;', [['removed', '']]],
    ['barrier.sync.aligned 0;', [['removed', '']]],
    ['bar.warp.sync 0xffffffff;', [['removed', '']]],
    [
      'membar.sys;',
      [
        ['removed', ''],
        ['sc -> acq_rel', 'fence.acq_rel.sys;'],
      ],
    ],
    [
      'membar.gl;',
      [
        ['removed', ''],
        ['sc -> acq_rel', 'fence.acq_rel.gpu;'],
      ],
    ],
    [
      'fence.sc.cluster;',
      [
        ['removed', ''],
        ['sc -> acq_rel', 'fence.acq_rel.cluster;'],
      ],
    ],
    ['fence.acq_rel.gpu;', [['removed', '']]],
    ['fence.proxy.alias;', [['removed', '']]],
    [
      '@%p1 st.release.sys.global.u32 [%rd1], %r1;',
      [['release -> relaxed', '@%p1 st.relaxed.sys.global.u32 [%rd1], %r1;']],
    ],
    ['ld.acquire.gpu.u32 %r1, [%rd1];', [['acquire -> relaxed', 'ld.relaxed.gpu.u32 %r1, [%rd1];']]],
    [
      'atom.add.acq_rel.sys.global.u32 %r1, [%rd1], 1;',
      [
        ['acq_rel -> relaxed', 'atom.add.relaxed.sys.global.u32 %r1, [%rd1], 1;'],
        ['acq_rel -> acquire', 'atom.add.acquire.sys.global.u32 %r1, [%rd1], 1;'],
        ['acq_rel -> release', 'atom.add.release.sys.global.u32 %r1, [%rd1], 1;'],
      ],
    ],
  ])('%s', (instruction, forms) => {
    const [place] = placesIn(instruction);
    expect(place?.weakenings.map(({ does, text }) => [does, text])).toEqual(forms);
  });

  it.each([
    ['fence.mbarrier_init.release.cluster;', 'the translation drops it'],
    ['bar.red.popc.u32 %r1, 0, %p1;', 'it also computes a value'],
    ['bar.arrive 0, 64;', 'its two halves belong together'],
    ['barrier.cluster.arrive;', 'its two halves belong together'],
  ])('%s is not judged: %s', (instruction, why) => {
    const [place] = placesIn(instruction);
    expect(place).toMatchObject({ weakenings: [], unjudged: why });
  });

  it.each(['cta', 'cluster', 'gpu', 'sys'])('the scope %s stays as it is', (scope) => {
    const places = placesIn(
      `st.release.${scope}.global.u32 [%rd1], %r1;`,
      `ld.acquire.${scope}.global.u32 %r1, [%rd1];`,
      `atom.acq_rel.${scope}.global.add.u32 %r1, [%rd1], 1;`,
      `fence.sc.${scope};`,
    );
    const forms = places.flatMap(({ weakenings }) => weakenings.map(({ text }) => text)).filter((text) => text !== '');
    expect(forms).toHaveLength(6);
    for (const text of forms) expect(text).toMatch(new RegExp(`\\.${scope}[.;]`, 'u'));
  });

  it.each([
    'ld.global.u32 %r1, [%rd1];',
    'ld.volatile.global.u32 %r1, [%rd1];',
    'red.relaxed.gpu.global.add.u32 [%rd1], 1;',
  ])('%s has none', (instruction) => {
    expect(placesIn(instruction)).toEqual([]);
  });
});

describe('the text without some of them', () => {
  it('keeps the number of every line, and has a diff', () => {
    const text = 'a\nbar.sync\n 0;\nb\nmembar.sys;\n';
    const other = edited(text, [
      { span: { start: 16, end: 27 }, with: '' },
      { span: { start: 2, end: 14 }, with: '' },
    ]);
    expect(other.split('\n')).toHaveLength(text.split('\n').length);
    expect(diffOf('a\nb;\nc;\n', 'a\nB;\n', 'x.ptx')).toBe(
      '--- x.ptx\n+++ x.ptx\n@@ -1,3 +1,2 @@\n a\n-b;\n-c;\n+B;\n',
    );
    expect(applyPatch(text, diffOf(text, other, 'x.ptx'))).toBe(other);
    expect(diffOf('a\n', 'a\n', 'x.ptx')).toBe('');
  });
});
