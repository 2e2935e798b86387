import type { Kernel } from '@nccl-ts/kernel';
import type { ModuleText } from '../evaluate/module-text.ts';
import type { Scope } from '../source/scope.ts';
import { childOf, listOf, nameOf, withoutCasts, type SyntaxNode } from '../source/syntax.ts';
import type { LintFinding } from './finding.ts';
import { isKernel } from './kernels-of.ts';

/** A launch in the text of a host program. */
export interface LaunchText {
  readonly kernel: Kernel;
  readonly call: SyntaxNode;
  readonly scope: Scope;
  /** Absent if the text does not list the options, or the arguments, one by one. */
  readonly options: SyntaxNode | undefined;
  readonly args: SyntaxNode | undefined;
}

/** The launches of known kernels in a module. */
export function launchesOf(module: ModuleText): readonly LaunchText[] {
  const found: LaunchText[] = [];
  module.walk((node, scope) => {
    const callee = node.type === 'CallExpression' ? childOf(node, 'callee') : undefined;
    if (callee?.type !== 'MemberExpression' || nameOf(childOf(callee, 'property')) !== 'launch') return;
    const [first, options, args] = listOf(node, 'arguments');
    const kernel = first === undefined ? undefined : module.valueOf(first, scope);
    if (isKernel(kernel))
      found.push({ kernel, call: node, scope, options: plainObject(options), args: plainObject(args) });
  });
  return found;
}

/** The object literal that `node` is, if each of its properties has a plain name. */
function plainObject(node: SyntaxNode | undefined): SyntaxNode | undefined {
  const object = node && withoutCasts(node);
  if (object?.type !== 'ObjectExpression') return undefined;
  const isPlain = listOf(object, 'properties').every(
    (property) => property.type === 'Property' && property['computed'] !== true,
  );
  return isPlain ? object : undefined;
}

export function propertyOf(object: SyntaxNode | undefined, name: string): SyntaxNode | undefined {
  const properties = object === undefined ? [] : listOf(object, 'properties');
  const found = properties.find((property) => nameOf(childOf(property, 'key')) === name);
  return found && childOf(found, 'value');
}

export function findingAt({ start, end }: SyntaxNode, message: string): LintFinding {
  return { start, end, message, repairs: [] };
}
