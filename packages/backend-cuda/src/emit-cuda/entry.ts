import { at } from '@nccl-ts/core';
import type { Module } from '@nccl-ts/ir';
import type { CudaEmitContext } from './context.ts';
import { dependenciesOf } from './grid-dependency.ts';

/** The point at which a kernel starts to access memory. */
export interface KernelEntry {
  /** The line that waits for the previous launch. */
  readonly wait: string;
  /** The pointers that the kernel has computed before. */
  readonly values: readonly string[];
}

/**
 * Emits the wait for the previous launch, unless the kernel has its own. Before the wait the kernel
 * computes all values of the statements before `first`, since they need no memory.
 */
export function emitEntry(module: Module, first: number, c: CudaEmitContext): KernelEntry | undefined {
  const { waits, triggers } = dependenciesOf(module);
  if (waits) return undefined;
  const wait = `nts::${triggers ? 'grid_dependency_sync' : 'wait_for_earlier'}();`;
  c.use(triggers ? 'gridDependency' : 'launch');
  c.span = undefined;
  c.line(wait);
  const values = module.body.slice(0, first).flatMap((statement) => {
    if (statement.kind !== 'assign') return [];
    const { type } = module.locals[statement.local] ?? {};
    // The compiler may know that a number is not 0, and would then remove the branch.
    return type?.kind === 'pointer' && c.touched.locals.has(statement.local) ? [at(c.locals, statement.local)] : [];
  });
  return { wait, values };
}

/**
 * Moves the values of the entry before its wait. Otherwise ptxas moves loads of windows, which it
 * knows to be constant, after the wait, where the kernel can no longer hide their latency.
 */
export function withEarlyValues(text: string, entry: KernelEntry | undefined, c: CudaEmitContext): string {
  const addresses = [...c.constants.values()].filter(({ type }) => type === 'char* const').map(({ name }) => name);
  if (entry === undefined || addresses.length === 0) return text;
  c.use('early');
  const { wait, values } = entry;
  return text.replace(wait, () => `nts::early(${[...addresses, ...values].join(', ')}); ${wait}`);
}
