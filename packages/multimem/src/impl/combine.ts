import { deviceFn, type DeviceFn } from '@nccl-ts/kernel';
import type { MultimemOp } from '../formats.ts';

/** Combines two values in their own type. */
export const combine: Readonly<Record<MultimemOp, DeviceFn<(a: number, b: number) => number>>> = Object.freeze({
  add: deviceFn({ name: 'add' }, (_context, a: number, b: number) => a + b),
  min: deviceFn({ name: 'min' }, ({ min }, a: number, b: number) => min(a, b)),
  max: deviceFn({ name: 'max' }, ({ max }, a: number, b: number) => max(a, b)),
  and: deviceFn({ name: 'and' }, (_context, a: number, b: number) => a & b),
  or: deviceFn({ name: 'or' }, (_context, a: number, b: number) => a | b),
  xor: deviceFn({ name: 'xor' }, (_context, a: number, b: number) => a ^ b),
});
