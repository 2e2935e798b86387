import { at } from '@nccl-ts/core';
import { readLocals, walkExpression, type Expression, type LocalId } from '@nccl-ts/ir';
import { localType } from '../emit-shared/context.ts';
import { emitExpression } from '../emit-shared/emit-expression.ts';
import { recomputedOf } from '../emit-shared/frame.ts';
import { addFunction, declareZero, variables, type ModuleText } from '../emit-shared/module-text.ts';
import { functionText, plainScope, statementScope } from '../emit-shared/scope.ts';
import type { JsContext } from './js-context.ts';

/** The function that computes the locals that a launch fixes. */
export const PREPARE = 'prepare';

/**
 * Finds the locals that are the same in all threads of a launch: functions of its parameters and of
 * its shape. They may be costly, such as the lookup of a device address.
 */
export function launchLocals(recomputable: ReadonlyMap<LocalId, Expression>): ReadonlySet<LocalId> {
  const found = new Set<LocalId>();
  let before: number;
  do {
    before = found.size;
    for (const [id, value] of recomputable)
      if (!found.has(id) && isOfLaunch(value) && [...readLocals(value)].every((read) => found.has(read))) found.add(id);
  } while (found.size > before);
  return found;
}

function isOfLaunch(value: Expression): boolean {
  let is = true;
  walkExpression(value, (e) => {
    is &&= e.kind === 'builtin' ? e.builtin.startsWith('gridDim.') : ofLaunch.has(e.kind) && e.type.kind !== 'handle';
  });
  return is;
}

const ofLaunch: ReadonlySet<Expression['kind']> = new Set([
  'constant',
  'local',
  'param',
  'unary',
  'binary',
  'compare',
  'logical',
  'select',
  'convert',
  'bitcast',
  'math',
  'vector',
  'lane',
  'withLane',
  'addressPointer',
  'pointerOffset',
  'pointerCast',
]);

/** Adds the variables of these locals, and the function that computes them. Each CTA calls it. */
export function emitLaunchLocals(context: JsContext, text: ModuleText): void {
  const ids = recomputedOf(context, context.launchLocals);
  if (ids.length === 0) return;
  const locals = (id: LocalId) => variables(context, id);
  const scope = plainScope(context, functionText(), locals, { thread: '0', traced: false, watched: false });
  for (const id of ids) {
    const value = context.recomputable.get(id);
    if (value === undefined || localType(context, id).kind === 'handle') continue;
    text.functions.push(declareZero(context, id).join('\n'));
    const texts = emitExpression(value, { ...statementScope(scope, [value]), code: scope.code });
    variables(context, id).forEach((name, i) => scope.code.push(`${name} = ${at(texts, i)};`));
  }
  addFunction(text, PREPARE, ['cta'], scope.fn, scope.code);
}
