import type { SymPtr } from '@nccl-ts/devcomm';
import { deviceFn, intrinsic, type DeviceFn, type Ptr, type TypeFn } from '@nccl-ts/kernel';
import { elements, type } from './forms.ts';

const agree: DeviceFn<(type: TypeFn, dst: Ptr) => Ptr> = intrinsic(
  { name: 'reduceCopy.lsaReduceSumCopy', pure: true, params: { type, dst: elements } },
  (_context, _type: TypeFn, dst: Ptr) => dst,
);

/** Returns the element type of both, or reports a diagnostic if they differ. */
export const sameElements: DeviceFn<(src: SymPtr, dst: SymPtr) => TypeFn> = deviceFn(
  { name: 'sameElements', use: { agree } },
  ({ agree, typeOf }, src: SymPtr, dst: SymPtr) => typeOf(agree(src.T, dst.localPtr())),
);
