import { readFileSync } from 'node:fs';
import { check } from '@nccl-ts/checker';
import { sim } from '@nccl-ts/backend-sim';
import { renderReport } from '@nccl-ts/findings';
import { entryOf, harness, harnessProgram, readPtxModule, translate, type Translated } from '@nccl-ts/harness';
import { describe, expect, inject, it } from 'vitest';
import allReduce from './fixtures/all-reduce.launch.ts';

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const textOf = (name: string): string => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'utf8');

function read(name: string): Translated {
  return translate(allReduce, textOf(`${name}.ptx`), { name: `${name}.ptx`, source: textOf });
}

describe('a kernel of a .cu file', () => {
  it.each([2, 3, 8].filter((row) => (row === 2) !== inject('slow')))('computes the sums of %i ranks', async (ranks) => {
    const program = harnessProgram(allReduce, read('all-reduce'));
    await expect(program(sim({ ranks }))).resolves.toBeUndefined();
  });

  it.for(quick)('is clean in a check of two ranks', async () => {
    const report = await check({ ranks: 2 }, harnessProgram(allReduce, read('all-reduce')));
    expect(renderReport(report)).toMatch(/^clean/);
  });

  it.for(quick)('has a race at lines of the .cu if it stores flags without release', async () => {
    const report = await check({ ranks: 2 }, harnessProgram(allReduce, read('all-reduce-relaxed')));
    const text = renderReport(report);
    expect(text).toMatch(/^error\[race\]/);
    expect(text).toMatch(
      /--> \S*all-reduce-relaxed\.cu:\d+:\d+\n[^]*?\n *\d+ \| .*for \(int r = 0; r < nRanks; r\+\+\) sum \+= peers\.data\[r\]\[i\];/,
    );
    expect(text).toMatch(/--> \S*all-reduce-relaxed\.cu:\d+:\d+\n[^]*?\n *\d+ \| .*mine\[i\] = rank \+ i;/);
    expect(text).toMatch(/bytes: .*'data', rank \d's copy/);
    expect(text).toContain('release');
  });

  it.for(quick)('has an error that lists the entries if the harness names none of them', () => {
    const named = (entry: string): unknown =>
      translate(harness({ ...allReduce, entry }), textOf('all-reduce.ptx'), { name: 'all-reduce.ptx' });
    expect(() => named('allGather')).toThrow(/all-reduce\.ptx has no entry allGather; it has these:\n {2}allReduce$/);
  });
});

describe('the name of an entry', () => {
  const text = ['k', 'kAll'].map((name) => `.visible .entry _Z${name.length}${name}IfEvPT_(.param .u64 a) { ret; }`);
  const module = readPtxModule(`.version 8.4\n.target sm_90\n.address_size 64\n${text.join('\n')}`, 'two.ptx');

  it('is that of one entry before it is a part of the names of several', () => {
    expect(entryOf(module, 'k').name).toBe('_Z1kIfEvPT_');
    expect(entryOf(module, 'All').name).toBe('_Z4kAllIfEvPT_');
  });

  it('may come with parameters that are written in another way', () => {
    const titled = readPtxModule(
      `.version 8.4\n.target sm_90\n.address_size 64\n.visible .entry _ZN12_GLOBAL__N_15innerEPKPf(.param .u64 a) { ret; }`,
      'one.ptx',
    );
    const { name } = entryOf(titled, undefined);
    for (const entry of [
      '(anonymous namespace)::inner',
      '(anonymous namespace)::inner(float *const *)',
      '(anonymous namespace)::inner(const float * *)',
    ]) {
      expect(entryOf(titled, entry).name).toBe(name);
    }
    expect(() => entryOf(titled, 'outer(const float * *)')).toThrow(/has no entry outer/);
  });

  it('is asked for if there are several entries, by names to type', () => {
    expect(() => entryOf(module, undefined)).toThrow(/two\.ptx has several entries; name one:\n {2}k\n {2}kAll$/);
  });
});
