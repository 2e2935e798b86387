import type { Identifier, ObjectExpression, ObjectPattern, Property } from 'acorn';
import type { KernelCall } from './kernel-calls.ts';

/** A replacement of the characters from `start` to `end` of a text. */
export interface TextEdit {
  readonly start: number;
  readonly end: number;
  readonly insert: string;
}

/** An expression for a name, and the changes that make the name available. */
export interface NameInKernel {
  readonly text: string;
  readonly edits: readonly TextEdit[];
}

/**
 * A built-in, or a module of `use`, in the body of a kernel. If the body takes its first parameter
 * apart without that name, an edit adds the name to the pattern.
 */
export function builtinIn({ body }: KernelCall, name: string): NameInKernel | undefined {
  const [context] = body.params;
  if (context?.type === 'Identifier') return { text: `${context.name}.${name}`, edits: [] };
  if (context?.type !== 'ObjectPattern') return undefined;
  const local = localName(context, name);
  if (local !== undefined) return { text: local, edits: [] };
  const last = context.properties.at(-1);
  if (last?.type === 'RestElement') return undefined;
  const edit =
    last === undefined
      ? { start: context.start, end: context.end, insert: `{ ${name} }` }
      : { start: last.end, end: last.end, insert: `, ${name}` };
  return { text: name, edits: [edit] };
}

/** A parameter whose type is written as `type`, such as `devComm`. */
export function paramOfType({ definition, body }: KernelCall, type: string): string | undefined {
  const key = keyOf(objectOf(definition, 'params'), type);
  const [, params] = body.params;
  if (key === undefined || params === undefined) return undefined;
  if (params.type === 'Identifier') return `${params.name}.${key}`;
  return params.type === 'ObjectPattern' ? localName(params, key) : undefined;
}

/** The name under which a kernel uses a module, such as `lsa`. */
export function moduleKey({ definition }: KernelCall, module: string): string | undefined {
  return keyOf(objectOf(definition, 'use'), module);
}

function objectOf(definition: ObjectExpression | undefined, name: string): ObjectExpression | undefined {
  const value = propertiesOf(definition).find(({ key }) => nameOf(key) === name)?.value;
  return value?.type === 'ObjectExpression' ? value : undefined;
}

function keyOf(object: ObjectExpression | undefined, value: string): string | undefined {
  const found = propertiesOf(object).find((one) => one.value.type === 'Identifier' && one.value.name === value);
  return found === undefined ? undefined : nameOf(found.key);
}

function propertiesOf(object: ObjectExpression | undefined): readonly Property[] {
  return (object?.properties ?? []).flatMap((one) => (one.type === 'Property' ? [one] : []));
}

function localName({ properties }: ObjectPattern, name: string): string | undefined {
  for (const one of properties) {
    if (one.type === 'Property' && nameOf(one.key) === name && one.value.type === 'Identifier') return one.value.name;
  }
  return undefined;
}

function nameOf(key: Property['key'] | Identifier): string | undefined {
  return key.type === 'Identifier' ? key.name : undefined;
}
