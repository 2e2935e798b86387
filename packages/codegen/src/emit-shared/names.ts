import type { LocalId, Module } from '@nccl-ts/ir';

/** Returns a readable suffix for a generated name: ASCII letters, digits and `_`, at most 24. */
export function readable(name: string): string {
  const kept = name.replace(/[^A-Za-z0-9_]/g, '').slice(0, 24);
  return kept === '' ? '' : `_${kept}`;
}

/**
 * Returns the variable of a local: its number, and its name if that helps. It is never a reserved
 * word of JavaScript.
 */
export function localName(module: Module, id: LocalId): string {
  return `v${id}${readable(module.locals[id]?.name ?? '')}`;
}
