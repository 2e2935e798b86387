import type { ValidatedModule } from '@nccl-ts/ir';
import { emitLooking, type EmitJsOptions } from './emit-js/index.ts';
import { ROUNDS_UNSEEN } from './emit-shared/pausing.ts';
import type { ProgramCode, Specialisation } from './program.ts';

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
    engine = 'js',
    compiles = 'worthwhile',
    shared = false,
    sourceMap = false,
  }: Omit<EmitJsOptions, 'fuel' | 'mode'> = {},
  rounds: number = ROUNDS_UNSEEN,
): ProgramCode {
  const codes = known.get(module) ?? new Map<string, ProgramCode>();
  known.set(module, codes);
  const { x, y, z } = specialisation.blockDim;
  const options = { fuel, trace, watch, interrupts, straggles, gathers, engine, compiles, shared, sourceMap };
  const key = JSON.stringify([x, y, z, specialisation.fields, options, rounds]);
  const before = codes.get(key);
  if (before !== undefined) return before;
  const code = emitLooking(module, specialisation, options, rounds);
  codes.set(key, code);
  return code;
}
