import { at } from '@nccl-ts/core';
import type { LocalId } from '@nccl-ts/ir';

import { localType, type EmitContext } from './context.ts';
import { localName } from './names.ts';
import type { FunctionText } from './scope.ts';
import { componentsOf, packed, unpacked, type Component } from './types.ts';

/** The functions of the text, and the fields of a CTA, as they are generated. */
export interface ModuleText {
  readonly functions: string[];
  /** The names of the functions that make up the program, besides those of all programs. */
  readonly optional: string[];
  /** The fields of a CTA: the name, and the text of the initial value. */
  readonly fields: Map<string, string>;
  counter: number;
}

export function moduleText(): ModuleText {
  return { functions: [], optional: [], fields: new Map(), counter: 0 };
}

/** Adds a function, whose head comes first. */
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

/** Adds `readsClock`, which is true while `pcs`, an array, has one of these labels. */
export function addReadsClock(text: ModuleText, pcs: string, labels: readonly number[]): void {
  if (labels.length === 0) return;
  const isTimed = labels.map((label) => `pc === ${label}`).join(' || ');
  text.functions.push(['function readsClock(cta) {', `return ${pcs}.some((pc) => ${isTimed});`, '}'].join('\n'));
  text.optional.push('readsClock');
}

/** Returns the variables of a local in a function. */
export function variables(context: EmitContext, id: LocalId): readonly string[] {
  const name = localName(context.module, id);
  return componentsOf(localType(context, id)).map(({ suffix }) => name + suffix);
}

/**
 * Returns statements that convert parameters to their types, which changes no value. The engine
 * then knows their representation in the whole function, and does not look in each round of a loop.
 */
export function typedParameters(context: EmitContext, id: LocalId, prefix: string): readonly string[] {
  return localVariables(context, id).flatMap(({ variable, component }) => {
    const name = prefix + variable;
    const number = component.bool ? undefined : asNumber[component.array]?.(name);
    return number === undefined ? [] : [`${name} = ${number};`];
  });
}

const asNumber: Partial<Readonly<Record<Component['array'], (name: string) => string>>> = {
  Int32Array: (name) => `${name} | 0`,
  Uint32Array: (name) => `${name} >>> 0`,
  Float32Array: (name) => `+${name}`,
  Float64Array: (name) => `+${name}`,
};

interface LocalVariable {
  readonly variable: string;
  readonly component: Component;
}

function localVariables(context: EmitContext, id: LocalId): readonly LocalVariable[] {
  const names = variables(context, id);
  return componentsOf(localType(context, id)).map((component, i) => ({ variable: at(names, i), component }));
}

/** Returns statements that declare a local's variables as zeros. */
export function declareZero(context: EmitContext, id: LocalId): readonly string[] {
  return localVariables(context, id).map(({ variable, component }) => `let ${variable} = ${component.zero};`);
}

/** Returns the CTA's fields for the values of `id`, with one element for each thread. */
function perThread(
  context: EmitContext,
  text: ModuleText,
  id: LocalId,
): readonly { field: string; variable: LocalVariable }[] {
  return localVariables(context, id).map((entry) => {
    const field = `each_${entry.variable}`;
    const { array } = entry.component;
    text.fields.set(
      field,
      array === 'Array' ? `new Array(${context.threads}).fill(null)` : `new ${array}(${context.threads})`,
    );
    return { field, variable: entry };
  });
}

/** Returns statements that load a thread's values of `id` from the CTA's fields. */
export function loadEach(
  context: EmitContext,
  text: ModuleText,
  fn: FunctionText,
  id: LocalId,
  declare = true,
): readonly string[] {
  return perThread(context, text, id).map(({ field, variable: { variable, component } }) => {
    const values = fieldIn(fn, field);
    return `${declare ? 'let ' : ''}${variable} = ${unpacked(component, `${values}[t]`)};`;
  });
}

/** Returns statements that store them to these fields. */
export function storeEach(context: EmitContext, text: ModuleText, fn: FunctionText, id: LocalId): readonly string[] {
  return perThread(context, text, id).map(({ field, variable: { variable, component } }) => {
    return `${fieldIn(fn, field)}[t] = ${packed(component, variable)};`;
  });
}

/** The text of a field of the CTA. */
function fieldIn(fn: FunctionText, field: string): string {
  if (!fn.bindsFields) return `cta.${field}`;
  fn.head.set(field, `cta.${field}`);
  return field;
}

/** Returns statements that store the values of the local's variables for every thread. */
export function storeAll(context: EmitContext, text: ModuleText, id: LocalId): readonly string[] {
  return perThread(context, text, id).map(
    ({ field, variable: { variable, component } }) => `cta.${field}.fill(${packed(component, variable)});`,
  );
}

/** Returns the fields for a local that all threads share, with the variables that they store. */
export function sharedFields(
  context: EmitContext,
  text: ModuleText,
  id: LocalId,
): readonly { field: string; variable: string }[] {
  return localVariables(context, id).map(({ variable, component }) => {
    const field = `all_${variable}`;
    text.fields.set(field, component.zero);
    return { field: `cta.${field}`, variable };
  });
}
