import { foldModule, liftWaits, type Module } from '@nccl-ts/ir';

const known = new WeakMap<Module, Module>();

/**
 * The module as threads run it: a wait reads, and what calls in it do beside stands around it. What consists of constants is computed, as in
 * generated code: which NaN a NaN is depends on that. The same answer each time.
 */
export function liftedModule(module: Module): Module {
  const found = known.get(module) ?? foldModule(liftWaits(module));
  known.set(module, found);
  return found;
}
