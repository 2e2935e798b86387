import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { lineAt } from '@nccl-ts/ir';
import { beforeAll, describe, expect, inject, it } from 'vitest';

import { capture, type Captures } from '../src/captures.ts';
import { quickPipelines } from '../src/pipelines/pipelines.ts';
import { runPipeline } from '../src/run-pipeline.ts';

const brokenFile = fileURLToPath(new URL('../src/kernels/broken.ts', import.meta.url));

/** The lines of the three mistakes in the author's file. */
function authorPlaces(): Captures['locations'] {
  const text = readFileSync(brokenFile, 'utf8');
  const mistakes = ['limit;', '0.5 + threadIdx.x', 'staging.atomicMin'];
  return mistakes.map((mistake) => {
    const { line, column, text: whole } = lineAt(text, text.indexOf(mistake));
    return { file: brokenFile, line, column, text: whole };
  });
}

let here: Captures;
beforeAll(async () => {
  here = await capture();
});

/**
 * A limit for hanging tests. It is long, because a build is many times slower on a shared machine.
 */
const timeout = 600_000;

describe('vitest as a build tool', () => {
  it('finds the lines of the mistakes', () => {
    expect(here.locations).toEqual(authorPlaces());
    expect(here.report).toContain(`--> ${brokenFile}:`);
  });
});

// The command `captures` tests all pipelines, and all kernels of the library with each. The quick
// tests have one pipeline.
describe.each(quickPipelines.filter((_, i) => (i === 0) !== inject('slow')))('the build tool $name', (pipeline) => {
  let there: Captures;
  beforeAll(async () => {
    if (pipeline.skip === undefined) there = await runPipeline(pipeline);
  }, timeout);

  it('captures the same kernels', ({ skip }) => {
    skip(pipeline.skip !== undefined, pipeline.skip);
    expect(there.ir).toEqual(here.ir);
  });

  it('computes the same bytes', ({ skip }) => {
    skip(pipeline.skip !== undefined, pipeline.skip);
    expect(there.bytes).toEqual(here.bytes);
  });

  it('finds the lines of the mistakes', ({ skip }) => {
    skip(pipeline.skip !== undefined, pipeline.skip);
    const { locations: places } = there;
    if (pipeline.traceable !== false) expect(places).toEqual(authorPlaces());
    else expect(places).toMatchObject(places.map(() => ({ file: expect.stringMatching(/bundle\.mjs$/) })));
  });
});
