import { deviceModule, type DeviceModule } from '@nccl-ts/kernel';
import { loadReduce } from './load-reduce.ts';
import { lsaPointer, pointer } from './multimem-pointer.ts';
import { reduce } from './reduce.ts';
import { store } from './store.ts';
import type { Multimem } from './multimem-module.ts';

/** Multicast addresses, and the operations of the switch on them: `use: { multimem }`. */
export const multimem: DeviceModule<Multimem> = deviceModule('multimem', {
  pointer,
  lsaPointer,
  loadReduce,
  store,
  reduce,
});
