import type { Kernel } from '@nccl-ts/kernel';

/** Functions that a text declares and does not define, by their names there, and what they stand for. */
export type CallMap = ReadonlyMap<string, DeviceCall>;

/** What a call of such a function does. */
export interface DeviceCall {
  /** Its parameters, in order. */
  readonly params: readonly CallParam[];
  /**
   * A kernel whose body is what the call does. `known` are the values of the parameters that must be known, in order. The same for the same.
   *
   * A parameter of the kernel that has the name of one of the function's is given its value: as a scalar, or as a pointer to global memory
   * where the kernel takes one. A handle becomes a parameter of the whole imported kernel, under its name there, which all calls share.
   * The local `result` of the kernel is what the function returns.
   *
   * A text in its place says why there is no such call: cannot do X because of that.
   */
  readonly kernel: (known: readonly number[]) => Kernel | string;
}

export interface CallParam {
  readonly name: string;
  /** Whether the text must give a number here. */
  readonly isKnown?: boolean;
}
