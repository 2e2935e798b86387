export type { EmitJsOptions } from './emit-js.ts';
export { emitJs, emitLooking } from './emit-js.ts';
export { primitives } from './emit-primitive.ts';
