import { unknownValue } from '@nccl-ts/kernel';
import type { ModuleText } from '../evaluate/module-text.ts';
import { childOf, listOf, nameOf, type SyntaxNode } from '../source/syntax.ts';
import type { TextEdit, TextRepair } from './finding.ts';
import type { DefinedKernel } from './kernels-of.ts';
import type { TextRange } from './place-in.ts';

/**
 * Passes the name at `place` through `use`, and takes it from the first parameter. `undefined` if
 * `use` cannot hold its value, or the kernel is not written with plain objects.
 */
export function passingThroughUse(
  module: ModuleText,
  { call, scope }: DefinedKernel,
  place: TextRange,
): TextRepair | undefined {
  const name = module.text.slice(place.start, place.end);
  const value = module.valueOfBinding(scope.lookUp(name));
  if (value === unknownValue || !['number', 'bigint', 'boolean', 'string', 'object'].includes(typeof value)) {
    return undefined;
  }
  const [definition, body] = listOf(call, 'arguments');
  const [first] = body === undefined ? [] : listOf(body, 'params');
  if (definition?.type !== 'ObjectExpression' || first?.type !== 'ObjectPattern') return undefined;
  const use = listOf(definition, 'properties').find((property) => nameOf(childOf(property, 'key')) === 'use');
  const list = use && childOf(use, 'value');
  if (list !== undefined && list.type !== 'ObjectExpression') return undefined;
  const passed = list === undefined ? firstEntry(definition, `use: { ${name} }`) : firstEntry(list, name);
  return {
    kind: 'suggestion',
    title: `Pass ${name} through use.`,
    edits: [passed, firstEntry(first, name)],
  };
}

/** Writes an entry before the others of `{ ... }`. */
function firstEntry(braces: SyntaxNode, entry: string): TextEdit {
  const [property] = listOf(braces, 'properties');
  if (property === undefined) return { start: braces.start, end: braces.end, text: `{ ${entry} }` };
  return { start: property.start, end: property.start, text: `${entry}, ` };
}
