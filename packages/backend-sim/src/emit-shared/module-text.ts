import type { LocalId } from '@nccl-ts/ir';

import { localType, type EmitContext } from './context.ts';
import { localName } from './names.ts';
import type { FunctionText } from './scope.ts';
import { componentsOf, packed, unpacked, type Component } from './types.ts';

/** The functions of the text, and the fields of a CTA, as they are collected. */
export interface ModuleText {
  readonly functions: string[];
  /** Fields of a CTA: name and the text of the initial value. */
  readonly fields: Map<string, string>;
  counter: number;
}

export function moduleText(): ModuleText {
  return { functions: [], fields: new Map(), counter: 0 };
}

/** Adds a function; its head comes first. */
export function addFunction(
  text: ModuleText,
  name: string,
  params: readonly string[],
  fn: FunctionText,
  code: readonly string[],
): void {
  const head = [...fn.head].map(([key, value]) => `const ${key} = ${value};`);
  const look = fn.look === undefined ? [] : [`let left = ${fn.look};`, 'let ahead = 0;'];
  const fuel = fn.fuel ? ['let fuel = 0;', ...look] : [];
  text.functions.push([`function ${name}(${params.join(', ')}) {`, ...head, ...fuel, ...code, '}'].join('\n'));
}

/** The variables of a local in a function. */
export function variables(context: EmitContext, id: LocalId): readonly string[] {
  const name = localName(context.module, id);
  return componentsOf(localType(context, id)).map(({ suffix }) => name + suffix);
}

interface Kept {
  readonly variable: string;
  readonly component: Component;
}

function kept(context: EmitContext, id: LocalId): readonly Kept[] {
  const names = variables(context, id);
  return componentsOf(localType(context, id)).map((component, i) => ({ variable: names[i] ?? '', component }));
}

/** Statements that declare a local's variables with zeros. */
export function declareZero(context: EmitContext, id: LocalId): readonly string[] {
  return kept(context, id).map(({ variable, component }) => `let ${variable} = ${component.zero};`);
}

/** The CTA's fields with one element a thread for the values of `id`. */
function perThread(context: EmitContext, text: ModuleText, id: LocalId): readonly { field: string; kept: Kept }[] {
  return kept(context, id).map((entry) => {
    const field = `each_${entry.variable}`;
    const { array } = entry.component;
    text.fields.set(
      field,
      array === 'Array' ? `new Array(${context.threads}).fill(null)` : `new ${array}(${context.threads})`,
    );
    return { field, kept: entry };
  });
}

/** Statements that take a thread's values of `id` out of the CTA's fields. */
export function loadEach(
  context: EmitContext,
  text: ModuleText,
  fn: FunctionText,
  id: LocalId,
  declare = true,
): readonly string[] {
  return perThread(context, text, id).map(({ field, kept: { variable, component } }) => {
    fn.head.set(field, `cta.${field}`);
    return `${declare ? 'let ' : ''}${variable} = ${unpacked(component, `${field}[t]`)};`;
  });
}

/** Statements that store them there. */
export function storeEach(context: EmitContext, text: ModuleText, fn: FunctionText, id: LocalId): readonly string[] {
  return perThread(context, text, id).map(({ field, kept: { variable, component } }) => {
    fn.head.set(field, `cta.${field}`);
    return `${field}[t] = ${packed(component, variable)};`;
  });
}

/** Statements that store the values of the local's variables for every thread. */
export function storeAll(context: EmitContext, text: ModuleText, id: LocalId): readonly string[] {
  return perThread(context, text, id).map(
    ({ field, kept: { variable, component } }) => `cta.${field}.fill(${packed(component, variable)});`,
  );
}

/** The fields that keep a local all threads share, with the variables they belong to. */
export function sharedFields(
  context: EmitContext,
  text: ModuleText,
  id: LocalId,
): readonly { field: string; variable: string }[] {
  return kept(context, id).map(({ variable, component }) => {
    const field = `all_${variable}`;
    text.fields.set(field, component.zero);
    return { field: `cta.${field}`, variable };
  });
}
