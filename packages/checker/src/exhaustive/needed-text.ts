import type { Needed } from '@nccl-ts/ir';
import { force } from './element.ts';
import { elements, type EvaluationScope } from './evaluate.ts';

/** Describes the values that a condition is waiting for, with its current values. */
export function neededText(needed: Needed, scope: EvaluationScope): string {
  switch (needed.kind) {
    case 'and':
      return neededText(elements(needed.left, scope)[0] === true ? needed.second : needed.first, scope);
    case 'or':
      return `${neededText(needed.first, scope)} or ${neededText(needed.second, scope)}`;
    case 'value':
      return `${needed.before}${elements(needed.value, scope).map(force).map(String).join(', ')}${needed.after}`;
    case 'true':
      return 'true';
  }
}
