import type { Module } from '../module.ts';
import { nameActiveMasks } from './name-active-masks.ts';
import { nameClocks } from './name-clocks.ts';
import { nameLoadBuffering } from './name-load-buffering.ts';

/** Puts an `approximate` before each statement that is not modelled exactly, for checks. */
export function nameApproximations(module: Module): Module {
  return nameLoadBuffering(nameActiveMasks(nameClocks(module)));
}
