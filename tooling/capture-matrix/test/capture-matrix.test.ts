import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { lineAt } from '@nccl-ts/ir';
import { beforeAll, describe, expect, it } from 'vitest';

import { capture, type Captures } from '../src/captures.ts';
import { pipelines } from '../src/pipelines/pipelines.ts';
import { runPipeline } from '../src/run-pipeline.ts';

const brokenFile = fileURLToPath(new URL('../src/kernels/broken.ts', import.meta.url));

/** Where the author's file has the three mistakes. */
function authorPlaces(): Captures['places'] {
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

describe('vitest', () => {
  it('knows where the mistakes are', () => {
    expect(here.places).toEqual(authorPlaces());
    expect(here.report).toContain(`--> ${brokenFile}:`);
  });
});

describe.each(pipelines)('$name', (pipeline) => {
  let there: Captures;
  beforeAll(async () => {
    if (pipeline.skip === undefined) there = await runPipeline(pipeline);
  }, 120_000);

  it('captures the same kernels', ({ skip }) => {
    skip(pipeline.skip !== undefined, pipeline.skip);
    expect(there.ir).toEqual(here.ir);
  });

  it('computes the same bytes', ({ skip }) => {
    skip(pipeline.skip !== undefined, pipeline.skip);
    expect(there.bytes).toEqual(here.bytes);
  });

  it('knows where the mistakes are', ({ skip }) => {
    skip(pipeline.skip !== undefined, pipeline.skip);
    const { places } = there;
    if (pipeline.traceable !== false) expect(places).toEqual(authorPlaces());
    else expect(places).toMatchObject(places.map(() => ({ file: expect.stringMatching(/bundle\.mjs$/) })));
  });
});
