import type { PtxVariable } from '../syntax/module.ts';

/** Memory that the text does not contain. Its address tells a rank from all others. */
export const rankMark: PtxVariable = Object.freeze({
  name: 'rankMark',
  space: 'global',
  type: 'b32',
  width: 1,
  length: 4,
  bytes: 16,
  align: 16,
  isExtern: false,
  span: Object.freeze({ start: 0, end: 0 }),
});
