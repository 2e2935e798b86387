import type { LocalId, Module } from '@nccl-ts/ir';

/** A readable suffix for a made-up name: ASCII letters, digits and `_`, at most 24. */
export function readable(name: string): string {
  const kept = name.replace(/[^A-Za-z0-9_]/g, '').slice(0, 24);
  return kept === '' ? '' : `_${kept}`;
}

/**
 * The variable of a local: its number, and its name where that helps. Never a word of JavaScript's.
 */
export function localName(module: Module, id: LocalId): string {
  return `v${id}${readable(module.locals[id]?.name ?? '')}`;
}
