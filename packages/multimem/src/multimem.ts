import { deviceModule, type AuthorOf, type DeviceModule } from '@nccl-ts/kernel';
import { loadReduce } from './load-reduce.ts';
import { lsaPointer, pointer } from './multimem-pointer.ts';
import { reduce } from './reduce.ts';
import { store } from './store.ts';

/** The members of `multimem` in a kernel. */
export interface Multimem {
  readonly pointer: AuthorOf<typeof pointer>;
  readonly lsaPointer: AuthorOf<typeof lsaPointer>;
  readonly loadReduce: AuthorOf<typeof loadReduce>;
  readonly store: AuthorOf<typeof store>;
  readonly reduce: AuthorOf<typeof reduce>;
}

/** Multicast addresses, and the operations of the switch on them: `use: { multimem }`. */
export const multimem: DeviceModule<Multimem> = deviceModule('multimem', {
  pointer,
  lsaPointer,
  loadReduce,
  store,
  reduce,
});
