import { at, exact, type Fidelity } from '@nccl-ts/core';
import type { Kernel } from '@nccl-ts/kernel';
import type { CallParam, DeviceCall } from '@nccl-ts/ptx';

/** A call that says how closely it is modelled. */
export interface ModelledCall extends DeviceCall {
  readonly fidelity: Fidelity;
}

/** The calls of the stand-in headers. A call without fidelity does not compile into it. */
export type ModelledCalls = ReadonlyMap<string, ModelledCall>;

export const asNcclSays: Fidelity = /* @__PURE__ */ exact('packages/harness/test/calls.test.ts');
export const asShmemSays: Fidelity = /* @__PURE__ */ exact('packages/harness/test/shmem-orders.test.ts');

/** The values of the parameters that must be compile-time constants, by name. */
export type ConstantArguments = Readonly<Record<string, number>>;

/**
 * Makes a call with the parameters `names`, in order. Those that end in `!` must be compile-time
 * constants. `make` returns `undefined` if such a number has no meaning, because a header of
 * another version made it.
 */
export function deviceCall(
  names: string,
  fidelity: Fidelity,
  make: (known: ConstantArguments) => Kernel | undefined,
): ModelledCall {
  const params = names.split(' ').map((name): CallParam => {
    return name.endsWith('!') ? { name: name.slice(0, -1), isKnown: true } : { name };
  });
  const knownNames = params.flatMap(({ name, isKnown }) => (isKnown === true ? [name] : []));
  return {
    params,
    fidelity,
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
