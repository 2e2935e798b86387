export { cft } from './cft.ts';
export type { Cft } from './cft.ts';
