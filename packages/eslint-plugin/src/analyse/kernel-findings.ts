import { analyseKernel, unknownValue, type Kernel } from '@nccl-ts/kernel';
import type { Diagnostic, Source } from '@nccl-ts/ir';
import type { ModuleText } from '../evaluate/module-text.ts';
import type { LintFinding, TextRepair } from './finding.ts';
import { kernelsOf, type DefinedKernel } from './kernels-of.ts';
import { ownRange, placeIn } from './place-in.ts';
import { passingThroughUse } from './pass-through-use.ts';

/** The diagnostics of all kernels that the module defines, each once. */
export function kernelFindings(module: ModuleText): readonly LintFinding[] {
  const found = new Map<string, LintFinding>();
  for (const text of kernelsOf(module)) {
    const result = analyseKernel(text.kernel);
    if (result.ok) continue;
    const isKnown = !dependsOnUnknown(text.kernel);
    for (const diagnostic of result.diagnostics) {
      if (!isKnown && isOfAbsence(diagnostic)) continue;
      const finding = findingOf(module, text, diagnostic, result.sources);
      found.set(`${finding.start} ${finding.end} ${finding.message}`, finding);
    }
  }
  return [...found.values()];
}

/** True if the kernel or a device function that it uses has a value that the text does not show. */
function dependsOnUnknown({ use, params }: Kernel): boolean {
  const seen = new Set<unknown>();
  const visit = (value: unknown): boolean => {
    if (value === unknownValue) return true;
    if (typeof value !== 'object' || value === null || seen.has(value)) return false;
    seen.add(value);
    return Object.values(value).some(visit);
  };
  return visit(use) || visit(params);
}

/** A call that was not followed may have made what is absent. */
function isOfAbsence({ code, message }: Diagnostic): boolean {
  return code === 'K1112' || (code === 'K1101' && message.startsWith('session '));
}

function findingOf(
  module: ModuleText,
  text: DefinedKernel,
  diagnostic: Diagnostic,
  sources: readonly Source[],
): LintFinding {
  const { code, message, labels, notes, hint } = diagnostic;
  const [primary, ...others] = labels;
  const place = primary && placeIn(module, primary.span, sources);
  const { start, end } = place ?? text.call;
  const more = [primary?.text, ...others.map((label) => label.text), ...notes].filter(
    (part) => part !== undefined && part !== '' && part !== 'here',
  );
  const parts = [`${code} ${message}`, ...more, ...(hint === undefined ? [] : [hint])];
  const own = repairIn(module, diagnostic, sources);
  const passing = code === 'K1005' && place !== undefined ? passingThroughUse(module, text, place) : undefined;
  return { start, end, message: parts.join('. '), repairs: [own, passing].filter((repair) => repair !== undefined) };
}

/** The repair, if all of its edits are in this file. */
function repairIn(module: ModuleText, { repair }: Diagnostic, sources: readonly Source[]): TextRepair | undefined {
  if (repair === undefined) return undefined;
  const edits = repair.edits.flatMap(({ span, text }) => {
    const range = ownRange(module, span, sources);
    return range === undefined ? [] : [{ ...range, text }];
  });
  if (edits.length < repair.edits.length) return undefined;
  return { kind: repair.kind, title: repair.title, edits };
}
