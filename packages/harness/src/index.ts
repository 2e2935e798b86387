export type { Pointer } from './pointer.ts';
