export { multimem } from './multimem.ts';
export type { Multimem } from './multimem-module.ts';
export { lsaPointer, pointer } from './multimem-pointer.ts';
export { loadReduce } from './load-reduce.ts';
export { reduce } from './reduce.ts';
export { store } from './store.ts';
export { multimemFormats, multimemOps } from './formats.ts';
export type { MultimemFormat, MultimemOp } from './formats.ts';
