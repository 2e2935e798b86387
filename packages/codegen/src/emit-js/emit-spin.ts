import { assignedLocals, spinLook, type LoopStatement } from '@nccl-ts/ir';

import { site } from '../emit-shared/context.ts';
import type { JsContext } from './js-context.ts';
import { emitBody } from './emit-statement.ts';
import { waitScope } from './emit-wait.ts';
import { addFunction, type ModuleText } from '../emit-shared/module-text.ts';
import { emitNeeded } from './needed.ts';
import { statementScope } from '../emit-shared/scope.ts';

/** A loop in which threads yield, and the state in which they continue. */
export interface SpinPoint {
  readonly label: number;
  readonly site: number;
  /** `(cta, t)`: returns the words that a round reads, and the values that it waits for. */
  readonly explain: string;
}

/** Adds the function that reports which values a spinning loop waits for. */
export function emitSpin(context: JsContext, text: ModuleText, loop: LoopStatement, label: number): SpinPoint {
  const explain = `spin${text.counter++}`;
  const { body, ends } = spinLook(loop);
  const condition = ends ?? ({ kind: 'constant', type: { kind: 'scalar', scalar: 'bool' }, value: true } as const);
  const scope = waitScope(context, text, { kind: 'wait', body, condition, span: loop.span }, 'words');
  scope.code.unshift('const words = [];');
  emitBody(body, scope);
  scope.code.push("let needed = '';");
  if (ends !== undefined) {
    emitNeeded(ends, assignedLocals(body), { ...statementScope(scope, [ends]), code: scope.code });
  } else scope.code.push("needed = 'the condition that lets the loop end';");
  scope.code.push('return { words, needed };');
  addFunction(text, explain, ['cta', 't'], scope.fn, scope.code);
  return { label, site: site(context, loop.span, 'loop'), explain };
}
