import type { BlockOp, BranchOp, LaneOp, LocalOp, MemoryOp, PlainOp, WasmType } from './opcodes.ts';

/**
 * One instruction. Locals and functions are identified by their number in the function and module.
 * Blocks have labels, which branches use. Their depth is computed when bytes are written.
 */
export type Instruction =
  | { readonly op: PlainOp }
  | { readonly op: 'i32.const' | 'f32.const' | 'f64.const'; readonly value: number }
  | { readonly op: 'i64.const'; readonly value: bigint }
  | { readonly op: 'v128.const'; readonly bytes: readonly number[] }
  | { readonly op: LocalOp; readonly local: number }
  | { readonly op: BlockOp; readonly label: number; readonly result?: WasmType | undefined }
  | { readonly op: BranchOp; readonly label: number }
  | { readonly op: 'call'; readonly callee: string }
  | { readonly op: 'call_indirect'; readonly params: readonly WasmType[]; readonly results: readonly WasmType[] }
  | { readonly op: 'memory.copy' }
  | { readonly op: 'memory.fill' }
  | { readonly op: MemoryOp; readonly offset: number; readonly align: number }
  | { readonly op: LaneOp; readonly lane: number };

/** A sequence of instructions. */
export type WasmCode = readonly Instruction[];

/** Joins the instructions of several lines. */
export function lines(...parts: readonly (Instruction | WasmCode)[]): WasmCode {
  return parts.flat();
}

export function op(name: PlainOp): Instruction {
  return { op: name };
}

export function i32(value: number): Instruction {
  return { op: 'i32.const', value: value | 0 };
}

export function i64(value: bigint): Instruction {
  return { op: 'i64.const', value: BigInt.asIntN(64, value) };
}

export function f32(value: number): Instruction {
  return { op: 'f32.const', value };
}

export function f64(value: number): Instruction {
  return { op: 'f64.const', value };
}

export function v128(bytes: readonly number[]): Instruction {
  return { op: 'v128.const', bytes };
}

export function get(local: number): Instruction {
  return { op: 'local.get', local };
}

export function set(local: number): Instruction {
  return { op: 'local.set', local };
}

export function tee(local: number): Instruction {
  return { op: 'local.tee', local };
}

export function call(callee: string): Instruction {
  return { op: 'call', callee };
}

/**
 * Calls a function of the module's table. Its number is on top of the stack, above its arguments.
 */
export function callIndirect(params: readonly WasmType[], results: readonly WasmType[]): Instruction {
  return { op: 'call_indirect', params, results };
}

export function br(label: number): Instruction {
  return { op: 'br', label };
}

export function brIf(label: number): Instruction {
  return { op: 'br_if', label };
}

export function block(kind: BlockOp, label: number, result?: WasmType): Instruction {
  return { op: kind, label, result };
}

/** An access `offset` bytes after the address on the stack, which must be a multiple of `align`. */
export function memory(name: MemoryOp, align: number, offset = 0): Instruction {
  return { op: name, offset, align };
}

/** Copies bytes. The stack has the destination address, the source address and the count. */
export const memoryCopy: Instruction = { op: 'memory.copy' };

/** Fills bytes. The stack has the address, the value and the count. */
export const memoryFill: Instruction = { op: 'memory.fill' };

export function lane(name: LaneOp, index: number): Instruction {
  return { op: name, lane: index };
}
