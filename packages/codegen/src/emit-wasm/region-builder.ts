import { faultRecord, FrameLayout } from './frame.ts';
import type { WasmValue } from './function-builder.ts';
import { get, i32, memory, op, type WasmCode } from './instruction.ts';
import type { HelperSet } from './helpers.ts';
import { PEER_TABLE_DOUBLES } from '../program/peer-layout.ts';
import { Unsupported } from '../emit-shared/unsupported.ts';

/** Arrays with more bytes are not copied to the frame and back. */
const MOST_COPIED = 98304;

/** The number of values that a pausing thread may store. */
export const MOST_SAVED = 512;

/** The JavaScript parts of a WebAssembly function under construction. */
export class RegionBuilder {
  readonly helpers: HelperSet;
  readonly layout: FrameLayout = new FrameLayout();
  /** JavaScript statements that report faults. Their index is the function's result less one. */
  readonly faults: string[] = [];
  /** The positions in the frame of the arrays that the function accesses, by space. */
  readonly arrayParts: Map<'shared' | 'local', number> = new Map();
  /**
   * The positions in the frame of tables of peers, by the start of the JavaScript call that writes
   * them.
   */
  readonly peerTables: Map<string, number> = new Map();
  /** The locals that are rows of these tables. */
  readonly rows: number[] = [];
  readonly #frame: number;
  /** The position in the frame of the values of a pausing thread. */
  #savedValues: number | undefined;

  /** `frame` is the local with the frame's address. */
  constructor(helpers: HelperSet, frame: number) {
    this.helpers = helpers;
    this.#frame = frame;
  }

  get frame(): WasmCode {
    return [get(this.#frame)];
  }

  /**
   * Returns the position in the frame of the `bytes` of all arrays of `space`; `undefined` if they
   * are too many to copy.
   */
  arrays(space: 'shared' | 'local', bytes: number): number | undefined {
    const known = this.arrayParts.get(space);
    if (known !== undefined || bytes > MOST_COPIED) return known;
    const offset = this.layout.allocate('Float64Array', Math.ceil(bytes / 8))?.offset;
    if (offset !== undefined) this.arrayParts.set(space, offset);
    return offset;
  }

  /**
   * Returns the position in the frame of the table of peers that the call `write` fills. The call
   * receives its address.
   */
  peerTable(write: string): number {
    const offset = this.peerTables.get(write) ?? this.layout.allocate('Float64Array', PEER_TABLE_DOUBLES)?.offset;
    if (offset === undefined) throw new Unsupported('the frame cannot hold windows with that many peers');
    this.peerTables.set(write, offset);
    return offset;
  }

  /**
   * Returns code that ends the function with a fault. `report` returns the statement that reports
   * it, given the texts of the thread and of `values`, which are numbers or bigints.
   */
  fault(
    thread: WasmValue,
    values: readonly WasmValue[],
    report: (thread: string, values: readonly string[]) => string,
  ): WasmCode {
    return this.#leave(thread, values, faultRecord.values, report);
  }

  /**
   * Like `fault`, for code that ends the function because the turn pauses. It allows any number of
   * values.
   */
  pause(
    thread: WasmValue,
    values: readonly WasmValue[],
    report: (thread: string, values: readonly string[]) => string,
  ): WasmCode {
    const begin = this.#savedValues ?? this.layout.allocate('Float64Array', MOST_SAVED)?.offset;
    if (begin === undefined) throw new Unsupported('the frame cannot hold the values of a thread that pauses');
    this.#savedValues = begin;
    const offsets = Array.from({ length: MOST_SAVED }, (_, i) => begin + 8 * i);
    return this.#leave(thread, values, offsets, report);
  }

  #leave(
    thread: WasmValue,
    values: readonly WasmValue[],
    offsets: readonly number[],
    report: (thread: string, values: readonly string[]) => string,
  ): WasmCode {
    const texts: string[] = [];
    const stores = values.flatMap((value, i): WasmCode => {
      const offset = offsets[i];
      if (offset === undefined) throw new Unsupported('a fault that reports many values');
      const at = offset / 8;
      switch (value.type) {
        case 'i64':
          texts.push(`host.heap.i64[(frame >>> 3) + ${at}]`);
          return [...this.frame, ...value.code, memory('i64.store', 8, offset)];
        case 'f64':
          texts.push(`host.heap.f64[(frame >>> 3) + ${at}]`);
          return [...this.frame, ...value.code, memory('f64.store', 8, offset)];
        case 'i32':
          texts.push(`host.heap.i32[(frame >>> 2) + ${at * 2}]`);
          return [...this.frame, ...value.code, memory('i32.store', 4, offset)];
        case 'f32':
        case 'v128':
          throw new Unsupported(`a fault with a value of type ${value.type}`);
      }
    });
    const number = this.faults.push(report('t', texts));
    return [
      ...stores,
      ...this.frame,
      ...thread.code,
      memory('i32.store', 4, faultRecord.thread),
      i32(number),
      op('return'),
    ];
  }
}
