import { expandIntrinsics, foldModule, specialise, unrollLoops, type Builtin, type Module } from '@nccl-ts/ir';

import { propagateConstants } from './constants.ts';
import type { Specialisation } from '../program.ts';

/** Peer loops up to this long are written out: their addresses then do not depend on a variable. */
const longestUnrolled = 16;

/** The module with everything put in that all launches of the code share, and short loops written out. */
export function prepare(module: Module, specialisation: Specialisation): Module {
  const { blockDim, fields } = specialisation;
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
