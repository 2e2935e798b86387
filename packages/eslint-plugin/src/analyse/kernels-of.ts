import { kernel, type Kernel } from '@nccl-ts/kernel';
import type { ModuleText } from '../evaluate/module-text.ts';
import type { Scope } from '../source/scope.ts';
import { childOf, type SyntaxNode } from '../source/syntax.ts';

/** A kernel that a module defines. */
export interface DefinedKernel {
  readonly kernel: Kernel;
  /** The call of `kernel`. */
  readonly call: SyntaxNode;
  readonly scope: Scope;
}

/** The kernels that the text of `module` defines, in any function. */
export function kernelsOf(module: ModuleText): readonly DefinedKernel[] {
  const found: DefinedKernel[] = [];
  module.walk((node, scope) => {
    const callee = node.type === 'CallExpression' ? childOf(node, 'callee') : undefined;
    if (callee === undefined || module.valueOf(callee, scope) !== kernel) return;
    const value = module.valueOf(node, scope);
    if (isKernel(value)) found.push({ kernel: value, call: node, scope });
  });
  return found;
}

export function isKernel(value: unknown): value is Kernel {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'kernel' && 'body' in value;
}
