import type { Builtin } from '../expression.ts';
import type { Module } from '../module.ts';
import { expandIntrinsics } from './expand-intrinsics.ts';
import { foldModule } from './fold-constants.ts';
import { propagateConstants } from './propagate-constants.ts';
import { specialise } from './specialise.ts';
import { unrollLoops } from './unroll-loops.ts';

/** The common values of all launches that run one piece of generated code. */
export interface LaunchSpecialisation {
  readonly blockDim: { readonly x: number; readonly y: number; readonly z: number };
  /** Fields of device communicators with one value on all ranks, such as `nRanks` and `lsaSize`. */
  readonly fields: Readonly<Record<string, number>>;
}

/** Peer loops up to this long are written out: their addresses then do not depend on a variable. */
const longestUnrolled = 16;

/**
 * The module with every call expanded, the common values of its launches substituted, and short
 * loops unrolled. Backends that run the portable bodies generate code from it.
 */
export function specialiseLaunch(module: Module, { blockDim, fields }: LaunchSpecialisation): Module {
  const builtins: { [B in Builtin]?: number } = {
    'blockDim.x': blockDim.x,
    'blockDim.y': blockDim.y,
    'blockDim.z': blockDim.z,
    blockThreads: blockDim.x * blockDim.y * blockDim.z,
    warpSize: 32,
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
