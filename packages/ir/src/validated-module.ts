import type { Module } from './module.ts';
import type { Capabilities } from './capabilities.ts';

declare const validated: unique symbol;

/**
 * A module that `validate` has found sound for `capabilities`. Only `validate` makes one; only such
 * reach an emitter.
 */
export interface ValidatedModule extends Module {
  readonly [validated]: true;
  readonly capabilities: Capabilities;
}
