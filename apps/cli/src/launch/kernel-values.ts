import type { DevCommRequirements } from '@nccl-ts/devcomm';
import type { ScalarKind } from '@nccl-ts/core';

/** The values for a kernel, by parameter name. */
export interface KernelValues {
  /** Values of scalars and vectors, as text. */
  readonly arg: ReadonlyMap<string, string>;
  /** The initial contents of windows, as text. */
  readonly fill: ReadonlyMap<string, string>;
  /** Types of the elements of windows. */
  readonly type: ReadonlyMap<string, ScalarKind>;
  /** The requirements on device communicators. */
  readonly require: RequiredOfDevComm;
}

/** The requirements that a single value can express. */
export type RequiredOfDevComm = Omit<DevCommRequirements, 'resourceRequirementsList' | 'teamRequirementsList'>;

/**
 * Selects the values for one kernel with these parameters, which may not need a device
 * communicator.
 */
export function valuesFor(values: KernelValues, params: readonly string[], takesDevComm: boolean): KernelValues {
  const known = <T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
    new Map([...map].filter(([name]) => params.includes(name)));
  const { arg, fill, type, require } = values;
  return { arg: known(arg), fill: known(fill), type: known(type), require: takesDevComm ? require : {} };
}
