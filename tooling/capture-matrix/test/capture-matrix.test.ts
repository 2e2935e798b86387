import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { lineAt } from '@nccl-ts/ir';
import { beforeAll, describe, expect, it } from 'vitest';

import { capture, type Captures } from '../src/captures.ts';
import { libraryDifferences } from '../src/differences.ts';
import { deviceTexts } from '../src/library/device-texts.ts';
import { captureLibrary } from '../src/library/library-captures.ts';
import { quickPipelines } from '../src/pipelines/pipelines.ts';
import { viteBuild } from '../src/pipelines/vite.ts';
import { runLibrary, runPipeline } from '../src/run-pipeline.ts';

const brokenFile = fileURLToPath(new URL('../src/kernels/broken.ts', import.meta.url));

/** The lines of the three mistakes in the author's file. */
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

/**
 * A limit for hanging tests. It is long, because a build is many times slower on a shared machine.
 */
const timeout = 600_000;

describe('vitest as a build tool', () => {
  it('finds the lines of the mistakes', () => {
    expect(here.places).toEqual(authorPlaces());
    expect(here.report).toContain(`--> ${brokenFile}:`);
  });
});

// The command `captures` tests all pipelines, and all kernels of the library with each.
describe.each(quickPipelines)('the build tool $name', (pipeline) => {
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
    const { places } = there;
    if (pipeline.traceable !== false) expect(places).toEqual(authorPlaces());
    else expect(places).toMatchObject(places.map(() => ({ file: expect.stringMatching(/bundle\.mjs$/) })));
  });
});

describe("the library's own kernels", () => {
  it("compile, and stay unchanged in Vite's production build", { timeout }, async () => {
    const compiled = new Set<string>();
    const library = await captureLibrary('some', ({ sources }) => {
      for (const { text } of sources) compiled.add(text);
    });
    expect(Object.entries(library).filter(([, what]) => /^K\d/.test(what))).toEqual([]);
    // No device function of a package is left out.
    const device = deviceTexts();
    expect(device.length).toBeGreaterThan(100);
    expect(device.filter(({ text }) => !compiled.has(text)).map(({ name }) => name)).toEqual([]);
    const built = await runLibrary(viteBuild, 'few');
    const same = Object.fromEntries(Object.entries(library).filter(([id]) => Object.hasOwn(built, id)));
    expect(Object.keys(built).length).toBeGreaterThan(50);
    expect(libraryDifferences(same, built)).toEqual([]);
  });
});
