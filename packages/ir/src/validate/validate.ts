import type { Capabilities } from '../capabilities.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Module } from '../module.ts';
import { analyseUniformity } from '../regions/uniformity.ts';
import type { ValidatedModule } from '../validated-module.ts';
import { checkCapabilities } from './check-capabilities.ts';
import { checkSessions } from './check-sessions.ts';
import { checkStatements } from './check-statement.ts';
import { checkDeclarations } from './check-types.ts';
import { checkWaitResults } from './check-wait-results.ts';
import { reportMalformed } from './findings.ts';

/** The result of `validate`. */
export type Validation =
  | { readonly ok: true; readonly module: ValidatedModule }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/**
 * Checks that `module` is well-formed IR, keeps the rules of the language, and needs only features
 * of a backend with `capabilities`. Only an `ok` result may reach an emitter.
 *
 * Never throws. Malformed IR (K40xx) is reported alone, since the other rules presuppose
 * well-formed IR; otherwise every mistake is reported. It does not check launches (block size,
 * argument values).
 */
export function validate(module: Module, capabilities: Capabilities): Validation {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => {
    diagnostics.push(diagnostic);
  };
  const malformed = reportMalformed(report);
  checkDeclarations(module, malformed);
  checkStatements(module, malformed);
  checkWaitResults(module, malformed);
  if (diagnostics.length === 0) {
    const uniformity = analyseUniformity(module);
    checkSessions(module, uniformity, report);
    checkCapabilities(module, capabilities, uniformity, report);
  }
  if (diagnostics.length > 0) return { ok: false, diagnostics: Object.freeze(diagnostics) };
  // The brand is for the type checker alone: nothing of it exists at run time, so only an assertion
  // can add it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ok: true, module: Object.freeze({ ...module, capabilities }) as ValidatedModule };
}
