import { parseModule, printModule, printModuleLines } from '@nccl-ts/ir';
import * as fc from 'fast-check';
import { describe, expect, inject, it } from 'vitest';
import { moduleArbitrary } from './support/module-arbitrary.ts';

/** With NCCLTS_EVERY_CASE set, more. */
const numRuns = inject('everyCase') ? 100 : 40;

describe('printModule and parseModule', () => {
  it('parse printed text to an equal module', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const text = printModule(module, { spans: true });
        const read = parseModule(text);
        expect(printModule(read, { spans: true })).toBe(text);
        expect(read).toEqual(module);
      }),
      { seed: 1, numRuns },
    );
  });

  it('keep the device API version that a module was built for', () => {
    const text = 'kernel old\napiVersion 22907\n{\n}\n';
    expect(parseModule(text).apiVersion).toBe(22907);
    expect(printModule(parseModule(text))).toBe(text);
    expect(parseModule('kernel new\n{\n}\n')).not.toHaveProperty('apiVersion');
  });

  it('keep that values are unknown', () => {
    const text = 'kernel k\n{\n  approximate opaque "values"\n  approximate "another"\n}\n';
    expect(printModule(parseModule(text))).toBe(text);
    expect(parseModule(text).body).toMatchObject([{ isOpaque: true, how: 'values' }, { how: 'another' }]);
    expect(parseModule(text).body[1]).not.toHaveProperty('isOpaque');
  });

  it('keep the clusters of a module, and pointers to other CTAs', () => {
    const text = [
      'kernel a',
      'cluster 2 1 3',
      'array #0 x: shared u32[4]',
      'local %0 v: u32',
      '{',
      '  %0 = load cluster(#0, 1:u32) relaxed.cluster',
      '}',
      '',
    ].join('\n');
    const { cluster, body } = parseModule(text);
    expect(cluster).toEqual({ x: 2, y: 1, z: 3 });
    expect(body[0]).toMatchObject({ kind: 'load', pointer: { kind: 'clusterPointer' }, access: { scope: 'cluster' } });
    expect(printModule(parseModule(text))).toBe(text);
    expect(parseModule('kernel a\n{\n}\n')).not.toHaveProperty('cluster');
  });

  it('tell which statement begins on each line', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const { text, lines } = printModuleLines(module);
        expect(text).toBe(printModule(module));
        const spanned = printModule(module, { spans: true })
          .split('\n')
          .filter((line) => !line.startsWith('source '));
        expect(lines).toHaveLength(text.split('\n').length - 1);
        lines.forEach((span, i) => {
          if (span !== undefined) expect(spanned[i]).toContain(`@${span.source}:${span.start}-${span.end}`);
        });
        expect(lines.filter((span) => span !== undefined).length).toBeGreaterThanOrEqual(module.body.length);
      }),
      { seed: 3, numRuns: 50 },
    );
  });

  it('parse text without spans', () => {
    fc.assert(
      fc.property(moduleArbitrary(), (module) => {
        const text = printModule(module);
        expect(printModule(parseModule(text))).toBe(text);
      }),
      { seed: 2, numRuns },
    );
  });
});
