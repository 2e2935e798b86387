import { analyseUniformity, expandIntrinsics, walkBody, type Span } from '@nccl-ts/ir';
import { analyseKernel } from '@nccl-ts/kernel';
import type { ModuleText } from '../evaluate/module-text.ts';
import type { LintFinding } from './finding.ts';
import { kernelsOf } from './kernels-of.ts';
import { placeIn } from './place-in.ts';
import { keyOf, threadConditions } from './thread-condition.ts';

/** Synchronizations of a whole CTA in code that only some of its threads reach. */
export function syncFindings(module: ModuleText): readonly LintFinding[] {
  const found = new Map<number, LintFinding>();
  for (const { kernel, call } of kernelsOf(module)) {
    const result = analyseKernel(kernel);
    if (!result.ok) continue;
    const expanded = expandIntrinsics(result.module, () => false);
    const { sources } = expanded;
    const uniformity = analyseUniformity(expanded);
    const conditions = threadConditions(expanded);
    const report = (span: Span, branch: Span): void => {
      const { start, end } = placeIn(module, span, sources) ?? call;
      const condition = placeIn(module, branch, sources);
      const text =
        condition === undefined ? '' : ` because of \`${module.text.slice(condition.start, condition.end)}\``;
      const message =
        `all threads of the CTA synchronize here, but only some get here${text}: the others never arrive. ` +
        'Move it out of the branch, or synchronize a smaller group, such as coopThread()';
      found.set(start, { start, end, message, repairs: [] });
    };
    walkBody(expanded.body, {
      statement: (statement) => {
        if (statement.kind !== 'sync' || statement.coop.kind !== 'cta' || statement.barrier !== undefined) return;
        const branch = uniformity.divergence(statement);
        if (branch !== undefined && conditions.has(keyOf(branch))) report(statement.span, branch);
      },
    });
  }
  return [...found.values()];
}
