import { primitive, type DeviceFn, type Kernel, type Ptr } from '@nccl-ts/kernel';

/**
 * Functions that a text declares and does not define, by their names there, and what they stand
 * for.
 */
export type CallMap = ReadonlyMap<string, DeviceCall>;

/** What a call of such a function does. */
export interface DeviceCall {
  /** Its parameters, in order. */
  readonly params: readonly CallParam[];
  /**
   * A kernel whose body is what the call does. `known` are the values of the parameters that must
   * be known, in order. The same for the same.
   *
   * A parameter of the kernel that has the name of one of the function's is given its value: as a
   * scalar, or as a pointer to global memory where the kernel takes one. A handle becomes a
   * parameter of the whole imported kernel, under its name there, which all calls share. It says by
   * `callResult`, or `callResultAddress`, what the function returns.
   *
   * A text in its place says why there is no such call: cannot do X because of that.
   */
  readonly kernel: (known: readonly number[]) => Kernel | string;
}

export interface CallParam {
  readonly name: string;
  /** True if the text must give a number here. */
  readonly isKnown?: boolean;
}

/** The names of the calls that say what a function returns. */
export const resultCalls: ReadonlySet<string> = /* @__PURE__ */ new Set(['ptx.result', 'ptx.resultAddress']);

/** In a kernel of a call map, says once what the function returns: a number. */
export const callResult: DeviceFn<(value: number) => void> = /* @__PURE__ */ primitive({
  name: 'ptx.result',
  params: { value: { kind: 'anyValue' } },
});

/** In a kernel of a call map, says once what the function returns: an address in global memory. */
export const callResultAddress: DeviceFn<(pointer: Ptr) => void> = /* @__PURE__ */ primitive({
  name: 'ptx.resultAddress',
  params: { pointer: { kind: 'anyPointer', space: 'global' } },
});
