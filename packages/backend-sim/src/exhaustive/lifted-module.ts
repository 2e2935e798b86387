import { foldModule, liftWaits, type Module } from '@nccl-ts/ir';

const known = new WeakMap<Module, Module>();

/**
 * The module as threads run it: a wait only reads, and other effects of its calls are around it.
 * Constants are computed as in generated code, because the kind of a NaN depends on that. Returns
 * the same module each time.
 */
export function liftedModule(module: Module): Module {
  const found = known.get(module) ?? foldModule(liftWaits(module));
  known.set(module, found);
  return found;
}
