import type { ValidatedModule } from '@nccl-ts/ir';
import {
  emitLooking,
  type EmitJsOptions,
  ROUNDS_UNSEEN,
  type ProgramCode,
  type Specialisation,
} from '@nccl-ts/codegen';

const known = new WeakMap<ValidatedModule, Map<string, ProgramCode>>();

/**
 * Returns the result of `emitLooking`, computed once for each module and set of options. New
 * worlds, such as those of many seeds, share the code.
 */
export function emittedJs(
  module: ValidatedModule,
  specialisation: Specialisation,
  fuel: number,
  {
    trace = false,
    watch = false,
    interrupts = false,
    straggles = false,
    gathers = false,
    regions,
    compiles = 'worthwhile',
    shared = false,
    sourceMap = false,
  }: Omit<EmitJsOptions, 'fuel' | 'mode'> = {},
  rounds: number = ROUNDS_UNSEEN,
): ProgramCode {
  const codes = known.get(module) ?? new Map<string, ProgramCode>();
  known.set(module, codes);
  const { x, y, z } = specialisation.blockDim;
  const options = { fuel, trace, watch, interrupts, straggles, gathers, compiles, shared, sourceMap };
  const key = JSON.stringify([x, y, z, specialisation.fields, options, regions !== undefined, rounds]);
  const before = codes.get(key);
  if (before !== undefined) return before;
  const code = emitLooking(module, specialisation, { ...options, regions }, rounds);
  codes.set(key, code);
  return code;
}
