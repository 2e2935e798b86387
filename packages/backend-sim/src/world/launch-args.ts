import type { KernelArg } from '@nccl-ts/transport';
import type { SimAddressSpace } from '../memory/address-space.ts';
import { SimWindow } from '../memory/sim-window.ts';
import type { ArgValue, Specialisation } from '@nccl-ts/codegen';
import { SimDevComm } from '../memory/sim-dev-comm.ts';
import { foreign } from '../base/errors.ts';

/** Converts a launch argument to its value in kernels of `rank`. */
export function argValue(arg: KernelArg, rank: number, space: SimAddressSpace): ArgValue {
  switch (arg.kind) {
    case 'scalar':
      return arg.value;
    case 'vector':
      return arg.values;
    case 'pointer':
      return space.pointer(rank, arg.address);
    case 'window':
      if (!(arg.window instanceof SimWindow)) throw foreign('window');
      return arg.window.valueAt(rank);
    case 'devComm':
      if (!(arg.devComm instanceof SimDevComm)) throw foreign('device communicator');
      return arg.devComm.valueAt(rank);
  }
}

const baked = ['nRanks', 'lsaSize'] as const;

/**
 * Returns the values that all launches with these arguments share, on every rank. The device
 * communicators of a launch belong to one group.
 */
export function specialisedFields(args: readonly KernelArg[]): Specialisation['fields'] {
  const fields: Record<string, number> = {};
  for (const arg of args) {
    if (arg.kind !== 'devComm' || !(arg.devComm instanceof SimDevComm)) continue;
    for (const name of baked) fields[name] = arg.devComm.group.topology[name];
  }
  return fields;
}
