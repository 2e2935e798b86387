import { at } from '@nccl-ts/core';
import { readLocals, type CollectiveStatement, type Expression, type LocalId, type SyncStatement } from '@nccl-ts/ir';

import { helper, localType, site } from '../emit-shared/context.ts';
import type { JsContext } from './js-context.ts';
import { emitExpression, emitOne } from '../emit-shared/emit-expression.ts';
import { emitRecomputed, isRecomputed, withOperands } from '../emit-shared/frame.ts';
import { collectiveFields, collectiveResult, groupInputs } from './groups.ts';
import {
  addFunction,
  loadEach,
  sharedFields,
  storeEach,
  variables,
  type ModuleText,
} from '../emit-shared/module-text.ts';
import { functionText, plainScope, statementScope, type FunctionText, type EmitScope } from '../emit-shared/scope.ts';
import { componentsOf, packed, unpacked } from '../emit-shared/types.ts';

/**
 * Emits a function for a collective that all threads of the CTA reach together. Every thread
 * computes its part, and then the parts are exchanged. Returns the statement that calls the
 * function. A result that all threads share is then in its field.
 */
export function emitCollective(context: JsContext, text: ModuleText, s: CollectiveStatement | SyncStatement): string {
  const fn = functionText();
  const name = `meet${text.counter++}`;
  const given = s.kind === 'sync' ? [s.vote?.value] : [s.value, s.lane, ...groupInputs(s.coop)];
  const operands = given.filter((e): e is Expression => e !== undefined);
  const reads = withOperands(
    context,
    operands.flatMap((e) => [...readLocals(e)]),
  );
  const shared = [...reads].filter((id) => !context.uniformity.varying.has(id));
  const params = shared.flatMap((id) => variables(context, id));
  const code =
    s.kind === 'sync'
      ? forVotes(context, text, fn, s)
      : s.coop.kind === 'cta' && isForAll(s)
        ? forAll(context, text, fn, s)
        : forEach(context, text, fn, s, operands);
  addFunction(text, name, ['cta', ...params], fn, code);
  return `${name}(${['cta', ...params].join(', ')});`;
}

function isForAll(s: CollectiveStatement): boolean {
  return s.op === 'bcast' || s.op === 'any' || s.op === 'all';
}

/** Returns the scope for one thread `t`, with variables for the locals that `e` reads. */
function threadScope(
  context: JsContext,
  text: ModuleText,
  fn: FunctionText,
  s: CollectiveStatement | SyncStatement,
  e: readonly Expression[],
): EmitScope {
  const scope = plainScope(context, fn, (id) => variables(context, id), { span: s.span });
  const reads = withOperands(
    context,
    e.flatMap((operand) => [...readLocals(operand)]),
  );
  for (const id of reads) {
    if (context.uniformity.varying.has(id) && !isRecomputed(context, id))
      scope.code.push(...loadEach(context, text, fn, id));
  }
  emitRecomputed(reads, scope);
  return { ...statementScope(scope, e), code: scope.code };
}

/**
 * Emits one result for the whole CTA. It needs only one thread's value, or the first that decides.
 */
function forAll(context: JsContext, text: ModuleText, fn: FunctionText, s: CollectiveStatement): readonly string[] {
  if (s.value === undefined) return [];
  const components = componentsOf(localType(context, s.local));
  const results = components.map((_, i) => `result${i}`);
  const value = threadScope(context, text, fn, s, [s.value]);
  const texts = emitExpression(s.value, value);
  const take = texts.map((textOf, i) => `${results[i]} = ${textOf};`);
  const code = [`let ${results.map((name, i) => `${name} = ${at(components, i).zero}`).join(', ')};`];
  if (s.op === 'bcast' && s.lane !== undefined) {
    const lane = threadScope(context, text, fn, s, [s.lane]);
    const laneText = emitOne(s.lane, lane);
    const fault = `${helper(context, 'threadFault')}(cta, t, ${site(context, s.span, 'collective')}, lane, ${context.threads})`;
    code.push('let t = 0;', 'let lane = 0;', '{', ...lane.code, `lane = ${laneText};`, '}');
    code.push(`if (!(lane < ${context.threads})) ${fault};`, 't = lane;', ...value.code, ...take);
  } else {
    const decided = s.op === 'any' ? '' : '!';
    code.push(
      `for (let t = 0; t < ${context.threads}; t++) {`,
      ...value.code,
      ...take,
      `if (${decided}result0) break;`,
      '}',
    );
  }
  return [...code, ...keepResult(context, text, s.local, results)];
}

/** The number of votes at a barrier of all threads. */
function forVotes(context: JsContext, text: ModuleText, fn: FunctionText, s: SyncStatement): readonly string[] {
  if (s.vote === undefined) return [];
  const scope = threadScope(context, text, fn, s, [s.vote.value]);
  const vote = emitOne(s.vote.value, scope);
  const loop = `for (let t = 0; t < ${context.threads}; t++) {`;
  const count = ['let votes = 0;', loop, ...scope.code, `if (${vote}) votes++;`, '}'];
  return [...count, ...keepResult(context, text, s.vote.local, ['votes'])];
}

function keepResult(
  context: JsContext,
  text: ModuleText,
  local: LocalId,
  results: readonly string[],
): readonly string[] {
  if (!context.uniformity.varying.has(local)) {
    return sharedFields(context, text, local).map(({ field }, i) => `${field} = ${at(results, i)};`);
  }
  const fn = functionText();
  storeEach(context, text, fn, local);
  const components = componentsOf(localType(context, local));
  return [...fn.head.values()].map((field, i) => {
    const component = components[i];
    return component === undefined ? '' : `${field}.fill(${packed(component, at(results, i))});`;
  });
}

/** Emits code in which every thread contributes its part, and then takes its result. */
function forEach(
  context: JsContext,
  text: ModuleText,
  fn: FunctionText,
  s: CollectiveStatement,
  operands: readonly Expression[],
): readonly string[] {
  const fields = collectiveFields(context, text, s);
  const scope = threadScope(context, text, fn, s, operands);
  bringPart(s, fields, scope);
  const loop = `for (let t = 0; t < ${context.threads}; t++) {`;
  const components = componentsOf(localType(context, s.local));
  const results = collectiveResult(context, s, fields, 't', site(context, s.span, 'collective'));
  const names = variables(context, s.local);
  const take = results.map((result, i) => {
    const component = components[i];
    const raw = s.op === 'any' || s.op === 'all' || component === undefined ? result : unpacked(component, result);
    return `const ${at(names, i)} = ${raw};`;
  });
  return [loop, ...scope.code, '}', loop, ...take, ...storeEach(context, text, fn, s.local), '}'];
}

/** Stores the part of thread `t` in the fields. */
export function bringPart(s: CollectiveStatement, fields: ReturnType<typeof collectiveFields>, scope: EmitScope): void {
  if (s.value !== undefined) {
    const components = componentsOf(s.value.type);
    emitExpression(s.value, scope).forEach((value, i) => {
      const component = components[i];
      if (component !== undefined) scope.code.push(`${fields.values[i]}[t] = ${packed(component, value)};`);
    });
  }
  if (s.lane !== undefined) scope.code.push(`${fields.lane}[t] = ${emitOne(s.lane, scope)};`);
  groupInputs(s.coop).forEach((input, i) => scope.code.push(`${fields.inputs[i]}[t] = ${emitOne(input, scope)};`));
}
