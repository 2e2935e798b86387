import { at as partAt } from '@nccl-ts/core';
import type { LocalId } from '@nccl-ts/ir';

import { localType } from '../emit-shared/context.ts';
import { sharedFields, variables } from '../emit-shared/module-text.ts';
import { bound } from '../emit-shared/scope.ts';
import { componentsOf, packed, unpacked as readBack } from '../emit-shared/types.ts';
import { times } from './emit-access.ts';
import { packedOf, unpacked } from './emit-packed.ts';
import { frameElements, type FrameArray, type FramePart } from './frame.ts';
import { value, type WasmValue } from './function-builder.ts';
import { i32, memory, op, type WasmCode } from './instruction.ts';
import type { MemoryOp } from './opcodes.ts';
import type { RegionBuilder } from './region-builder.ts';
import type { RegionInput } from '../emit-shared/region-input.ts';
import { first, type Components, type WasmScope } from './scope.ts';
import { shapeOf } from './types.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';

/**
 * Values that JavaScript keeps between functions. They are in the frame while a WebAssembly
 * function runs.
 */
export class FrameValues {
  /** The JavaScript code before and after the call. */
  readonly copyIn: string[] = [];
  readonly copyOut: string[] = [];
  readonly #input: RegionInput;
  readonly #region: RegionBuilder;
  readonly #thread: WasmValue;
  readonly #each = new Map<LocalId, readonly FramePart[]>();

  constructor(input: RegionInput, region: RegionBuilder, thread: WasmValue) {
    this.#input = input;
    this.#region = region;
    this.#thread = thread;
  }

  /** Returns the address of the mark that a thread has returned. */
  dead(): WasmCode {
    const { context, prologue } = this.#input;
    const part = this.#allocate('Uint8Array', context.threads);
    const field = bound(prologue.scope, 'dead', 'cta.dead');
    this.#copy(field, part, { in: true, out: true, count: context.threads });
    return [...this.#region.frame, ...this.#thread.code, op('i32.add'), i32(part.offset), op('i32.add')];
  }

  #allocate(array: FrameArray, count: number): FramePart {
    const part = this.#region.layout.allocate(array, count);
    if (part === undefined) throw new Unsupported('the frame cannot hold that many values of threads');
    return part;
  }

  /** Copies an array to the frame, and its first `count` elements back. */
  #copy(field: string, part: FramePart, copies: { in: boolean; out: boolean; count: number | 'count' }): void {
    const { view, bytes } = frameElements[part.array];
    const at = bytes === 1 ? `frame + ${part.offset}` : `(frame + ${part.offset}) / ${bytes}`;
    if (copies.in) this.copyIn.push(`host.heap.${view}.set(${field}, ${at});`);
    if (copies.out) this.copyOut.push(`${field}.set(host.heap.${view}.subarray(${at}, ${at} + ${copies.count}));`);
  }

  /**
   * Returns the parts of the frame for the components of a local, with one element for each thread.
   * They are copied there, and back if the local is set.
   */
  eachOf(id: LocalId): readonly FramePart[] {
    const known = this.#each.get(id);
    if (known !== undefined) return known;
    const { context, text, prologue, assigned, before, after, counted } = this.#input;
    const names = variables(context, id);
    const parts = componentsOf(localType(context, id)).map(({ array }, i) => {
      if (array === 'Array') throw new Unsupported('a handle for each thread');
      const part = this.#allocate(array, context.threads);
      const field = `each_${partAt(names, i)}`;
      text.fields.set(field, `new ${array}(${context.threads})`);
      bound(prologue.scope, field, `cta.${field}`);
      // A thread that has returned keeps the previous value.
      this.#copy(field, part, {
        in: before.has(id) || context.partialReturns,
        out: assigned.has(id) && after.has(id),
        count: counted ? 'count' : context.threads,
      });
      return part;
    });
    this.#each.set(id, parts);
    return parts;
  }

  /** Returns the address of the current thread's element, less the part's offset. */
  elementAddress(part: FramePart): WasmCode {
    const { bytes } = frameElements[part.array];
    return [...this.#region.frame, ...times(this.#thread, bytes), op('i32.add')];
  }

  /** Returns a thread's value of a local. */
  loadEach(id: LocalId): Components {
    const values = this.eachOf(id).map((part) => {
      const { type, bytes } = frameElements[part.array];
      return value(type, ...this.elementAddress(part), memory(accessOf(part.array, 'load'), bytes, part.offset));
    });
    const shape = shapeOf(localType(this.#input.context, id));
    return shape === undefined ? values : [packedOf(shape, values, { region: this.#region })];
  }

  storeEach(id: LocalId, held: Components, scope: WasmScope): void {
    const values = this.#parts(id, held, scope);
    this.eachOf(id).forEach((part, i) => {
      const { bytes } = frameElements[part.array];
      const stored = partAt(values, i).code;
      scope.code.push(
        ...this.elementAddress(part),
        ...stored,
        memory(accessOf(part.array, 'store'), bytes, part.offset),
      );
    });
  }

  /** Returns a local's value as JavaScript's components. */
  #parts(id: LocalId, held: Components, scope: WasmScope): Components {
    const type = localType(this.#input.context, id);
    const shape = shapeOf(type);
    return shape === undefined || type.kind !== 'vector' ? held : unpacked(type, shape, first(held), scope);
  }

  /** A local that all threads share. Each thread stores it where JavaScript finds it. */
  storeResult(id: LocalId, held: Components, scope: WasmScope): void {
    const { context, text } = this.#input;
    const fields = sharedFields(context, text, id);
    const values = this.#parts(id, held, scope);
    componentsOf(localType(context, id)).forEach((component, i) => {
      if (component.array === 'Array') throw new Unsupported('a handle that is assigned');
      const part = this.#allocate(component.array, 1);
      const { view, bytes } = frameElements[component.array];
      const access = memory(accessOf(component.array, 'store'), bytes, part.offset);
      scope.code.push(...this.#region.frame, ...partAt(values, i).code, access);
      const field = partAt(fields, i).field;
      const slot = `host.heap.${view}[(frame + ${part.offset}) / ${bytes}]`;
      this.copyIn.push(`${slot} = ${packed(component, field)};`);
      this.copyOut.push(`${field} = ${readBack(component, slot)};`);
    });
  }

  /** Shared and local arrays are in the frame while the function runs. */
  copyArrays(): void {
    for (const [space, offset] of this.#region.arrayParts) {
      const bytes = this.#bytesOf(space);
      this.copyIn.push(`host.heap.u8.set(cta.${space}.u8, frame + ${offset});`);
      this.copyOut.push(`cta.${space}.u8.set(host.heap.u8.subarray(frame + ${offset}, frame + ${offset + bytes}));`);
    }
  }

  /** Returns the number of bytes of the arrays that `copyArrays` copies. */
  get arrayBytes(): number {
    return [...this.#region.arrayParts.keys()].reduce((sum, space) => sum + this.#bytesOf(space), 0);
  }

  #bytesOf(space: 'shared' | 'local'): number {
    const { shared, local } = this.#input.context.arrays.bytes;
    return space === 'shared' ? shared : local * this.#input.context.threads;
  }
}

const accesses: Readonly<Record<FrameArray, { readonly load: MemoryOp; readonly store: MemoryOp }>> = {
  Uint8Array: { load: 'i32.load8_u', store: 'i32.store8' },
  Int32Array: { load: 'i32.load', store: 'i32.store' },
  Uint32Array: { load: 'i32.load', store: 'i32.store' },
  BigInt64Array: { load: 'i64.load', store: 'i64.store' },
  BigUint64Array: { load: 'i64.load', store: 'i64.store' },
  Float32Array: { load: 'f32.load', store: 'f32.store' },
  Float64Array: { load: 'f64.load', store: 'f64.store' },
};

function accessOf(array: FrameArray, how: 'load' | 'store'): MemoryOp {
  return accesses[array][how];
}
