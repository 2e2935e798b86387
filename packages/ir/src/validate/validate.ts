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
 * Checks that `module` is well-formed IR, follows the rules of the language, and needs only
 * features that `capabilities` has. Only an `ok` result may reach an emitter.
 *
 * Never throws. Malformed IR (K40xx) is reported alone, because the other rules assume well-formed
 * IR. Otherwise every mistake is reported. Launches are not checked (block size, argument values).
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
  // The brand exists only for the type checker, so only an assertion can add it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ok: true, module: Object.freeze({ ...module, capabilities }) as ValidatedModule };
}
