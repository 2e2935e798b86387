import { foldModule, liftWaits, nameApproximations, type Module } from '@nccl-ts/ir';

const known = new WeakMap<Module, Module>();

/**
 * Returns the module as threads run it. A wait only reads, and the other effects of its calls are
 * outside of it. Constants are computed as in generated code, because the kind of a NaN depends on
 * that. Equal arguments return the same module.
 */
export function liftedModule(module: Module): Module {
  const found = known.get(module) ?? foldModule(liftWaits(nameApproximations(module)));
  known.set(module, found);
  return found;
}
