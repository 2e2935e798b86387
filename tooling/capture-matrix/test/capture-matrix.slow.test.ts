import { describe, expect, it } from 'vitest';

import { libraryDifferences } from '../src/differences.ts';
import { deviceTexts } from '../src/library/device-texts.ts';
import { captureLibrary } from '../src/library/library-captures.ts';
import { viteBuild } from '../src/pipelines/vite.ts';
import { runLibrary } from '../src/run-pipeline.ts';
import './capture-matrix.test.ts';

/** A limit for hanging tests. */
const timeout = 600_000;

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
