import type { Fidelity } from '@nccl-ts/core';
import { primitive, type DeviceFn, type Kernel, type Ptr } from '@nccl-ts/kernel';

/** The meaning of functions that a text declares but does not define, by name. */
export type CallMap = ReadonlyMap<string, DeviceCall>;

/** The meaning of a call of such a function. */
export interface DeviceCall {
  /** Its parameters, in order. */
  readonly params: readonly CallParam[];
  /**
   * Returns a kernel whose body is the call's effect. `known` has the values of the parameters that
   * must be compile-time constants, in order. It must return the same kernel for the same values.
   *
   * A parameter of the kernel with the name of one of the function's parameters gets its value: as
   * a scalar, or as a pointer to global memory if the kernel takes one. A handle becomes a
   * parameter of the whole imported kernel. All calls share the parameter of that name. The kernel
   * sets the function's result by `callResult`, or `callResultAddress`.
   *
   * If there is no such call, it returns the reason as text.
   */
  readonly kernel: (known: readonly number[]) => Kernel | string;
  /**
   * How closely the kernel follows the function. If absent, nothing is known, and a check that
   * calls the function names it as an approximation.
   */
  readonly fidelity?: Fidelity;
}

export interface CallParam {
  readonly name: string;
  /** True if the text must pass a number here. */
  readonly isKnown?: boolean;
}

/** The names of the calls that set a function's result. */
export const resultCalls: ReadonlySet<string> = /* @__PURE__ */ new Set(['ptx.result', 'ptx.resultAddress']);

/** Sets the function's result to a number. A kernel of a call map calls it once. */
export const callResult: DeviceFn<(value: number) => void> = /* @__PURE__ */ primitive({
  name: 'ptx.result',
  params: { value: { kind: 'anyValue' } },
});

/**
 * Sets the function's result to an address in global memory. A kernel of a call map calls it once.
 */
export const callResultAddress: DeviceFn<(pointer: Ptr) => void> = /* @__PURE__ */ primitive({
  name: 'ptx.resultAddress',
  params: { pointer: { kind: 'anyPointer', space: 'global' } },
});
