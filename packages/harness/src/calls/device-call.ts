import { at } from '@nccl-ts/core';
import type { Kernel } from '@nccl-ts/kernel';
import type { CallParam, DeviceCall } from '@nccl-ts/ptx';

/** The values of the parameters that must be compile-time constants, by name. */
export type ConstantArguments = Readonly<Record<string, number>>;

/**
 * Makes a call with the parameters `names`, in order. Those that end in `!` must be compile-time
 * constants. `make` returns `undefined` if such a number has no meaning, because a header of
 * another version made it.
 */
export function deviceCall(names: string, make: (known: ConstantArguments) => Kernel | undefined): DeviceCall {
  const params = names.split(' ').map((name): CallParam => {
    return name.endsWith('!') ? { name: name.slice(0, -1), isKnown: true } : { name };
  });
  const knownNames = params.flatMap(({ name, isKnown }) => (isKnown === true ? [name] : []));
  return {
    params,
    kernel: (values) => {
      const known: Record<string, number> = {};
      for (const [index, value] of values.entries()) known[at(knownNames, index)] = value;
      return (
        make(known) ?? `these numbers are not valid: ${knownNames.map((name) => `${name} ${known[name]}`).join(', ')}`
      );
    },
  };
}

/** The number of a parameter that is a compile-time constant. */
export function numberOf(known: ConstantArguments, name: string): number {
  return known[name] ?? Number.NaN;
}
