import { Script } from 'node:vm';
import { renderDiagnostics, validate, type Capabilities } from '@nccl-ts/ir';
import { analyseKernel, type CompileResult } from '@nccl-ts/kernel';
import { scalarKinds } from '@nccl-ts/core';
import { describe, expect, inject, it } from 'vitest';
import { mutate, Random } from './support/mutate.ts';
import { withRawText } from './support/raw-text.ts';
import { seedKernels, seedParams, seedUse } from './support/seed-kernels.ts';

/** Rows of tests that the quick run leaves out. */
const slow = inject('slow') ? [0] : [];

/** A backend that supports everything, so that only the rules of the IR apply. */
const everything: Capabilities = {
  backend: 'everything',
  scalars: scalarKinds,
  maxBlockThreads: 1024,
  maxSharedBytes: 1 << 30,
  divergentWaits: true,
  subgroups: true,
  print: true,
  multimem: true,
  primitives: [],
};

const given = { name: 'fuzzed', use: seedUse, params: seedParams };

function analyse(text: string): CompileResult {
  return withRawText(text, given, (kernel) => analyseKernel(kernel));
}

/** The forbidden effects of a text on the compiler, or `undefined` if there are none. */
function failure(text: string): string | undefined {
  let result: CompileResult;
  try {
    result = analyse(text);
  } catch (cause) {
    return cause instanceof Error
      ? `${cause.message}\n${cause.stack?.split('\n').slice(1, 6).join('\n')}`
      : String(cause);
  }
  if (!result.ok) {
    if (result.diagnostics.length === 0) return 'refused without a diagnostic';
    for (const { labels, code } of result.diagnostics) {
      for (const { span } of labels) {
        const source = result.sources[span.source]?.text.length ?? -1;
        if (span.start < 0 || span.end < span.start || span.end > source) return `${code} has a span out of its text`;
      }
    }
    // The files are not located, because that would take longer than everything else.
    renderDiagnostics(
      result.diagnostics,
      result.sources.map(({ name, text: captured }) => ({ name, text: captured })),
    );
    return undefined;
  }
  const validation = validate(result.module, everything);
  if (validation.ok) return undefined;
  const malformed = validation.diagnostics.filter(({ code }) => code >= 'K4');
  return malformed.length === 0 ? undefined : malformed.map(({ code, message }) => `${code} ${message}`).join('; ');
}

function isJavaScript(text: string): boolean {
  try {
    // Compiles and runs nothing.
    return new Script(`(${text})`) instanceof Script;
  } catch {
    return false;
  }
}

describe('the compiler', () => {
  it.each(seedKernels.map((text, index) => [index, text] as const).filter(() => !inject('slow')))(
    'compiles seed kernel %i',
    (_index, text) => {
      const result = analyse(text);
      expect(result.ok ? '' : renderDiagnostics(result.diagnostics, result.sources)).toBe('');
      expect(failure(text)).toBeUndefined();
    },
  );

  it.for(slow)('gives a valid module or diagnostics for every text', { timeout: 120_000 }, () => {
    const seed = Number(process.env['FUZZ_SEED'] ?? 20_261_120);
    // With NCCLTS_EVERY_CASE set, eight times as many. The quick tests have few.
    const texts = !inject('slow') ? 100 : inject('everyCase') ? 6000 : 750;
    const runs = Number(process.env['FUZZ_RUNS'] ?? texts);
    const random = new Random(seed);
    const counts = { javascript: 0, compiled: 0 };
    const failures = new Map<string, string>();
    for (let run = 0; run < runs && failures.size < 20; run++) {
      const text = mutate(random.pick(seedKernels), random);
      const found = failure(text);
      if (found !== undefined && !failures.has(found)) failures.set(found, text);
      if (isJavaScript(text)) {
        counts.javascript++;
        if (analyse(text).ok) counts.compiled++;
      }
    }
    const report = [...failures].map(([found, text]) => `${found}\n--- of\n${text}`).join('\n\n');
    expect(report, `seed ${seed}`).toBe('');
    // Many of the texts are still JavaScript, and many of those still compile.
    expect(counts.javascript).toBeGreaterThan(runs / 5);
    expect(counts.compiled).toBeGreaterThan(runs / 50);
  });
});
