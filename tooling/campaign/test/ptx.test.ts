import { describe, expect, inject, test } from 'vitest';
import { judge } from '../src/judge.ts';
import { kinds } from '../src/kinds.ts';
import { generatePtx } from '../src/ptx/generate-ptx.ts';
import { loadPtx } from '../src/ptx/load-ptx.ts';
import { ptxKinds } from '../src/ptx/ptx-kinds.ts';
import type { PtxProgram } from '../src/ptx/ptx-program.ts';
import { ptxText } from '../src/ptx/ptx-text.ts';
import { smallerPtx } from '../src/ptx/smaller-ptx.ts';
import { rules } from '../src/rules.ts';
import { programOf } from '../src/themes.ts';
import { subjectOf } from '../src/subject.ts';
import { knownPtxFaults } from './ptx-programs.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** Rows of tests that the slow run leaves out. */
const quick = inject('slow') ? [] : [0];

const seeds = Array.from({ length: 40 }, (_, i) => i + 1);

describe('programs as PTX text', () => {
  test.for(quick)('a seed always gives the same program, and another seed gives another program', () => {
    const texts = seeds.map((seed) => ptxText(generatePtx(seed)));
    expect(seeds.map((seed) => ptxText(generatePtx(seed)))).toEqual(texts);
    expect(new Set(texts).size).toBe(seeds.length);
  });

  test.for(slow)('the front end takes every program', () => {
    for (const seed of seeds) expect(() => loadPtx(generatePtx(seed))).not.toThrow();
  });

  test.for(quick)('every kind is among a few hundred programs of all themes', () => {
    const found = new Set(Array.from({ length: 600 }, (_, i) => [...subjectOf(programOf(i + 1, 'all')).kinds]).flat());
    expect(kinds.filter((kind) => !found.has(kind))).toEqual([]);
  });

  test.for(quick)('the kinds of a program are those of its text', () => {
    const program: PtxProgram = {
      language: 'ptx',
      ranks: 1,
      grid: 1,
      block: 1,
      isCleared: false,
      kernels: [
        {
          parts: [
            {
              kind: 'warp',
              rank: 0,
              cta: 0,
              warp: 0,
              pieces: [
                { lanes: 'first', kinds: [], lines: ['st.shared.u16 [S+2], 5;', 'ld.shared.u32 $r1, [S];'] },
                {
                  lanes: 'first',
                  kinds: [],
                  lines: ['red.relaxed.gpu.global.add.u64 [M0], 1;', 'atom.relaxed.gpu.global.add.u32 $r1, [M0+4], 1;'],
                },
              ],
            },
          ],
        },
      ],
      steps: [{ kind: 'launch', kernel: 0, stream: 0 }],
    };
    expect([...ptxKinds(program)].toSorted()).toEqual([
      '64-bit beside 32-bit atomics',
      'mixed sizes on one word',
      'partial words',
      'shared memory',
      'unset shared memory',
    ]);
  });

  test.for(quick)('smaller programs are smaller, and end', () => {
    let program = generatePtx(3);
    let steps = 0;
    for (;;) {
      const [next] = smallerPtx(program);
      if (next === undefined) break;
      expect(JSON.stringify(next)).not.toBe(JSON.stringify(program));
      program = next;
      steps++;
    }
    expect(steps).toBeGreaterThan(3);
    expect(program.kernels.flatMap(({ parts }) => parts)).toEqual([]);
  });
});

describe('engines agree on former disagreements in PTX text', () => {
  test.each(knownPtxFaults.filter((_, i) => (i === 1) !== inject('slow')))('$name', async ({ program, rule }) => {
    expect(rules.map(({ name }) => name)).toContain(rule);
    const { refused, disagreements, observations } = await judge(program, { schedules: 2, bound: 100 });
    expect(refused).toBeUndefined();
    expect(disagreements).toEqual([]);
    // A program that nothing complains of would prove nothing.
    expect(observations.every(({ errors }) => errors.size > 0)).toBe(true);
  });
});
