import type { SymPtr } from '@nccl-ts/devcomm';
import { deviceFn, intrinsic, typeParam, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { elements } from './forms.ts';

const agree: DeviceFn<(type: TypeFn, dst: Ptr) => Ptr> = intrinsic(
  { name: 'reduceCopy.lsaReduceSumCopy', pure: true, params: { type: typeParam, dst: elements } },
  (_context, { dst }) => dst,
);

/** Returns the element type of both, or reports a diagnostic if they differ. */
export const sameElements: DeviceFn<(src: SymPtr, dst: SymPtr) => TypeFn> = deviceFn(
  { name: 'sameElements', use: { agree } },
  ({ agree, typeOf }, src, dst) => typeOf(agree(src.T, dst.localPtr())),
);
