export { emitWgsl } from './emit-wgsl.ts';
