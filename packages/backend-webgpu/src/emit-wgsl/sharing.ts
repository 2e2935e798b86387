import { valueBytes, walkBody, type AtomicAccess, type Expression, type Module } from '@nccl-ts/ir';
import type { Sharing } from '../wgsl-source.ts';
import { tracePointers, type PointerOrigin, type Origins } from './pointer-origins.ts';

/**
 * Determines how `module`'s accesses to the ranks' memory combine with those of kernels on other
 * devices.
 */
export function sharingOf(module: Module, origins: Origins): Sharing {
  const narrowStores = { heap: false, resources: false };
  const orderedStores = { heap: false, resources: false };
  const params = tracePointers(module, (root) => rootParam(root));
  const written = new Set<number>();
  let takesTurns = false;
  const write = (pointer: Expression): void => {
    const from = params.of(pointer);
    for (const param of from.size > 0 ? from : module.params.keys()) written.add(param);
  };
  walkBody(module.body, {
    statement: (s) => {
      if (s.kind === 'fence') takesTurns ||= isTotal(s.access);
      if (s.kind !== 'load' && s.kind !== 'store' && s.kind !== 'atomic') return;
      const { type } = s.pointer;
      if (type.kind !== 'pointer' || type.space !== 'global') return;
      if (s.access !== undefined) takesTurns ||= isTotal(s.access);
      if (s.kind === 'load') return;
      write(s.pointer);
      const wide = s.access !== undefined && reachesOthers(s.access);
      const bytes = valueBytes(type.element);
      // An ordered store of several words or bytes must not be mixed with another one.
      takesTurns ||= wide && (s.kind === 'atomic' || bytes === 2 || bytes > 4);
      for (const space of spacesOf(origins.of(s.pointer))) {
        narrowStores[space] ||= bytes < 4;
        orderedStores[space] ||= wide && bytes === 4;
      }
    },
  });
  return {
    takesTurns,
    narrowStores: Object.freeze(narrowStores),
    orderedStores: Object.freeze(orderedStores),
    written: Object.freeze([...written].sort((a, b) => a - b)),
  };
}

function rootParam(root: Expression): ReadonlySet<number> {
  if (root.kind === 'param') return new Set([root.param]);
  return root.kind === 'field' ? rootParam(root.base) : new Set();
}

/** A pointer of unknown origin may point into any window. */
function spacesOf(origins: ReadonlySet<PointerOrigin>): readonly PointerOrigin[] {
  return origins.size === 0 ? ['heap', 'resources'] : [...origins];
}

/** True if it takes part in one order of all such accesses, on all devices. */
function isTotal(access: AtomicAccess): boolean {
  return access.order === 'seq_cst' && reachesOthers(access);
}

function reachesOthers({ scope }: AtomicAccess): boolean {
  return scope === 'device' || scope === 'system';
}
