export { encodeModule } from './emit-wasm/encode-module.ts';
export { narrowedBf16, narrowedF16, widenedBf16, widenedF16 } from './emit-wasm/half-lanes.ts';
export {
  block,
  br,
  brIf,
  call,
  callIndirect,
  f32,
  f64,
  get,
  i32,
  i64,
  lane,
  lines,
  memory,
  memoryCopy,
  memoryFill,
  op,
  set,
  tee,
  type WasmCode,
  type Instruction,
} from './emit-wasm/instruction.ts';
export type { LaneOp, MemoryOp, PlainOp, WasmType } from './emit-wasm/opcodes.ts';
export type { WasmFunction, WasmModule } from './emit-wasm/wasm-module.ts';
export { wat } from './emit-wasm/wat.ts';
export {
  compileModule,
  createMemory,
  instantiate,
  PAGE_BYTES,
  type WebAssemblyMemory,
  type WebAssemblyModule,
} from './program/web-assembly.ts';
