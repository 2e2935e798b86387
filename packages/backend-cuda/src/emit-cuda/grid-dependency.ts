import { NcclError } from '@nccl-ts/core';
import { walkBody, type CallStatement, type Module } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';

/** By call: the function of the prelude. */
const functions: ReadonlyMap<string, string> = new Map([
  ['gridDependencySync', 'grid_dependency_sync'],
  ['launchDependents', 'launch_dependents'],
]);

/** The kernel's calls about the previous and next launches on its stream. */
export const dependencyCalls: readonly string[] = Object.freeze([...functions.keys()]);

export function isDependencyCall({ name }: CallStatement): boolean {
  return functions.has(name);
}

export function emitDependencyCall({ name }: CallStatement, c: CudaEmitContext): void {
  const called = functions.get(name);
  if (called === undefined) throw new NcclError('NCCL_INTERNAL_ERROR', `'${name}' is not about other launches.`);
  c.use('gridDependency');
  c.line(`nts::${called}();`);
}

/** Returns which of the two a kernel calls. */
export function dependenciesOf({ body }: Module): { readonly waits: boolean; readonly triggers: boolean } {
  const called = new Set<string>();
  walkBody(body, {
    statement: (s) => {
      if (s.kind === 'call') called.add(s.name);
    },
  });
  return { waits: called.has('gridDependencySync'), triggers: called.has('launchDependents') };
}
