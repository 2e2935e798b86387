import type { Module } from './module.ts';
import type { Capabilities } from './capabilities.ts';

declare const validated: unique symbol;

/**
 * A module that `validate` has accepted for `capabilities`. Only `validate` makes one, and emitters
 * take only such modules.
 */
export interface ValidatedModule extends Module {
  readonly [validated]: true;
  readonly capabilities: Capabilities;
}
