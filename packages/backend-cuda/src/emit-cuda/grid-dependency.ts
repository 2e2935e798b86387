import { walkBody, type CallStatement, type Module } from '@nccl-ts/ir';
import type { EmitContext } from './context.ts';

/** By call: the function of the prelude. */
const functions: Readonly<Record<string, string>> = Object.freeze({
  gridDependencySync: 'grid_dependency_sync',
  launchDependents: 'launch_dependents',
});

/** The kernel's calls about the previous and next launches on its stream. */
export const dependencyCalls: readonly string[] = Object.freeze(Object.keys(functions));

export function isDependencyCall(s: CallStatement): boolean {
  return Object.hasOwn(functions, s.name);
}

export function emitDependencyCall(s: CallStatement, c: EmitContext): void {
  c.use('gridDependency');
  c.line(`nts::${functions[s.name] ?? ''}();`);
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
