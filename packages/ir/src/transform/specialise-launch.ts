import { WARP_SIZE } from '@nccl-ts/core';
import type { Builtin } from '../expression.ts';
import type { Module } from '../module.ts';
import { expandIntrinsics } from './expand-intrinsics.ts';
import { foldModule } from './fold-constants.ts';
import { propagateConstants } from './propagate-constants.ts';
import { specialise } from './specialise.ts';
import { unrollLoops } from './unroll-loops.ts';

/** The values that all launches of one piece of generated code have in common. */
export interface LaunchSpecialisation {
  readonly blockDim: { readonly x: number; readonly y: number; readonly z: number };
  /**
   * Fields of device communicators that have the same value on all ranks, such as `nRanks` and
   * `lsaSize`.
   */
  readonly fields: Readonly<Record<string, number>>;
}

/**
 * The most rounds of a peer loop that is unrolled. Its addresses then do not depend on a variable.
 */
const longestUnrolled = 16;

/**
 * Expands every call of the module, substitutes the common values of its launches, and unrolls
 * short loops. Backends that run the portable bodies generate code from the result.
 */
export function specialiseLaunch(module: Module, { blockDim, fields }: LaunchSpecialisation): Module {
  const builtins: { [B in Builtin]?: number } = {
    'blockDim.x': blockDim.x,
    'blockDim.y': blockDim.y,
    'blockDim.z': blockDim.z,
    blockThreads: blockDim.x * blockDim.y * blockDim.z,
    warpSize: WARP_SIZE,
  };
  const specialised = specialise(
    expandIntrinsics(module, () => false),
    {
      builtins,
      fields: (param, field) => {
        const isDevComm = module.params[param]?.type.kind === 'handle';
        return isDevComm && Object.hasOwn(fields, field) ? fields[field] : undefined;
      },
    },
  );
  const unrolled = unrollLoops(propagateConstants(specialised), { maxTrips: longestUnrolled, maxStatements: 128 });
  return propagateConstants(foldModule(unrolled));
}
