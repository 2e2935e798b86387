import type { Backend } from './backend.ts';

/** Freezes a backend and its capabilities, so that they cannot change after validation. */
export function defineBackend<B extends Backend>(backend: B): Readonly<B> {
  Object.freeze(backend.capabilities);
  return Object.freeze(backend);
}
