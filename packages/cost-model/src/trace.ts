export { Tracer, type TracerOptions } from './trace/tracer.ts';
