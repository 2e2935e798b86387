import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderDiagnostics } from '@nccl-ts/ir';
import { analyseKernel, type CompileResult, type Kernel } from '@nccl-ts/kernel';
import { describe, expect, it } from 'vitest';
import { diagnosticCases, threeMistakes, type DiagnosticCase } from './support/diagnostic-cases.ts';
import { withRawText } from './support/raw-text.ts';

const folder = join(import.meta.dirname, '../src/diagnose');

/** Every code that the sources declare, with the name of the function that reports it. */
function declaredCodes(): readonly { readonly code: string; readonly name: string }[] {
  return readdirSync(folder).flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return [
      ...text.matchAll(/^ {2}(\w+)\([^)]*\): Diagnostic \{\s+(?:const [^;]*;\s+)*return error\('(K\d{4})'/gm),
    ].map(([, name = '', code = '']) => ({ code, name }));
  });
}

/** How often `error('K` occurs in the sources. It checks the pattern above. */
function countOfReports(): number {
  return readdirSync(folder).reduce(
    (sum, file) => sum + [...readFileSync(join(folder, file), 'utf8').matchAll(/error\('K\d/g)].length,
    0,
  );
}

function analyse({ kernel, raw }: DiagnosticCase): Extract<CompileResult, { ok: false }> {
  const result =
    raw === undefined ? analyseKernel(kernel) : withRawText(raw, kernel, (of: Kernel) => analyseKernel(of));
  if (result.ok) throw new Error('it compiles');
  return result;
}

/**
 * The text that people see, without the author's file, because its path differs between machines.
 */
function rendered(result: Extract<CompileResult, { ok: false }>): string {
  return renderDiagnostics(
    result.diagnostics,
    result.sources.map(({ name, text }) => ({ name, text })),
  );
}

const kebab = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

describe('diagnostics', () => {
  const declared = declaredCodes();

  it('have unique codes that are all listed', () => {
    expect(declared).toHaveLength(countOfReports());
    expect(new Set(declared.map(({ code }) => code)).size).toBe(declared.length);
  });

  it('can each be triggered by some kernel', () => {
    const provoked = new Set(diagnosticCases.flatMap(({ codes }) => codes as readonly string[]));
    expect(declared.filter(({ code }) => !provoked.has(code))).toEqual([]);
  });

  it.each(diagnosticCases.map((entry) => [`${entry.codes[0]} ${entry.name}`, entry] as const))(
    'the diagnostic %s equals its snapshot',
    (_name, entry) => {
      const result = analyse(entry);
      expect(result.diagnostics.map(({ code }) => code)).toEqual(entry.codes);
      for (const { message, hint, notes, labels } of result.diagnostics) {
        expect(message).not.toBe('');
        expect(hint ?? notes[0], 'says what to write instead').toBeTruthy();
        const [primary] = labels;
        const text = result.sources[primary?.span.source ?? -1]?.text ?? '';
        expect(primary?.span.start).toBeLessThan(text.length);
        expect(primary?.span.end).toBeLessThanOrEqual(text.length);
        expect((primary?.span.end ?? 0) - (primary?.span.start ?? 0)).toBeGreaterThan(0);
      }
    },
  );

  it.each(declared.map(({ code, name }) => [code, name] as const))('%s %s equals its snapshot', async (code, name) => {
    const cases = diagnosticCases.filter(({ codes }) => codes[0] === code);
    const texts = cases.map((entry) => `# ${entry.name}\n\n${rendered(analyse(entry)).replaceAll(/ +$/gm, '')}\n`);
    await expect(texts.join('\n\n')).toMatchFileSnapshot(`snapshots/diagnostics/${code}-${kebab(name)}.txt`);
  });

  it('report every mistake in a kernel, once each', () => {
    const result = analyseKernel(threeMistakes);
    expect(result.ok ? [] : result.diagnostics.map(({ code }) => code)).toEqual(['K1005', 'K1005', 'K1111', 'K1101']);
  });

  it('do not depend on the order of keys or on earlier compilations', () => {
    const [first] = diagnosticCases;
    if (first === undefined) throw new Error('no cases');
    expect(rendered(analyse(first))).toBe(rendered(analyse(first)));
  });
});
