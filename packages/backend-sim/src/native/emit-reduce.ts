import { NcclError, scalarInfo } from '@nccl-ts/core';
import {
  block,
  br,
  brIf,
  get,
  i32,
  lane,
  lines,
  memory,
  op,
  set,
  type Code,
  type Instruction,
} from '../emit-wasm/instruction.ts';
import type { LaneOp, MemoryOp, PlainOp, WasmType } from '../emit-wasm/opcodes.ts';
import type { WasmFunction } from '../emit-wasm/wasm-module.ts';
import { laneReduction, type LaneReduction } from './lane-reduction.ts';
import type { ReducePart } from './native-work.ts';

const PACK = 16;

/** Packs of 16 bytes of each source that are under way at once: more of few sources; of many, there are no registers for more. */
function unrollOf(sources: number, vectors: number): number {
  if (vectors > 1) return 1;
  return sources <= 2 ? 4 : 2;
}

/** Reduces the bytes from `begin` to `end` of each source: reads each source once, and writes each destination once. */
export function emitReduce(name: string, part: ReducePart): WasmFunction {
  const lanes = laneReduction(part.element, part.reduction);
  if (lanes === undefined) {
    throw new NcclError('NCCL_INTERNAL_ERROR', `There are no instructions for ${part.reduction} of ${part.element}.`);
  }
  return new ReduceEmitter(name, part, lanes).function;
}

const [at, end] = [0, 1];

class ReduceEmitter {
  readonly function: WasmFunction;
  readonly #part: ReducePart;
  readonly #lanes: LaneReduction;
  readonly #locals: WasmType[] = [];
  readonly #packed: number;
  readonly #value: number;
  #labels = 0;

  constructor(name: string, part: ReducePart, lanes: LaneReduction) {
    this.#part = part;
    this.#lanes = lanes;
    this.#packed = this.#local('v128');
    this.#value = this.#local('v128');
    const vectors = lanes.widen(this.#packed).length;
    const unroll = unrollOf(part.sources.length, vectors);
    const totals = Array.from({ length: unroll }, () => Array.from({ length: vectors }, () => this.#local('v128')));
    const code = lines(
      this.#loop(unroll * PACK, this.#packs(totals)),
      unroll === 1 ? [] : this.#loop(PACK, this.#packs(totals.slice(0, 1))),
      part.bytes % PACK === 0 ? [] : this.#loop(scalarInfo[part.element].bytes, this.#single(totals[0] ?? [])),
    );
    this.function = { name, params: ['i32', 'i32'], results: [], locals: this.#locals, code, exported: false };
  }

  #local(type: WasmType): number {
    return this.#locals.push(type) + 1;
  }

  /** `body` for every `step` bytes that are left. */
  #loop(step: number, body: Code): Code {
    const [out, loop] = [this.#labels++, this.#labels++];
    return lines(
      [block('block', out), block('loop', loop)],
      [get(end), get(at), op('i32.sub'), i32(step), op('i32.lt_u'), brIf(out)],
      body,
      [get(at), i32(step), op('i32.add'), set(at), br(loop), op('end'), op('end')],
    );
  }

  #packs(totals: readonly (readonly number[])[]): Code {
    const { sources, destinations } = this.#part;
    const code: Instruction[] = [];
    sources.forEach((source, index) => {
      totals.forEach((total, i) => {
        const load: Code = [get(at), memory('v128.load', 1, source + i * PACK)];
        code.push(...this.#take(load, total, index === 0));
      });
    });
    totals.forEach((total, i) => {
      code.push(...this.#result(total), set(this.#packed));
      for (const destination of destinations) {
        code.push(get(at), get(this.#packed), memory('v128.store', 1, destination + i * PACK));
      }
    });
    return code;
  }

  /** One element: in all lanes, of which the first counts. */
  #single(total: readonly number[]): Code {
    const { bytes } = scalarInfo[this.#part.element];
    const { load, splat, extract, store } = accesses[bytes] ?? accesses[8];
    const { sources, destinations } = this.#part;
    return lines(
      ...sources.map((source, index) => this.#take([get(at), memory(load, 1, source), op(splat)], total, index === 0)),
      [...this.#result(total), set(this.#packed)],
      ...destinations.map((destination): Code => [
        get(at),
        get(this.#packed),
        lane(extract, 0),
        memory(store, 1, destination),
      ]),
    );
  }

  /** Adds what `load` leaves to the totals. */
  #take(load: Code, total: readonly number[], isFirst: boolean): Code {
    const widened = this.#lanes.widen(this.#packed);
    return lines(
      [...load, set(this.#packed)],
      ...widened.map((one, i): Code => {
        const into = total[i] ?? 0;
        if (isFirst) return [...one, set(into)];
        return [...one, set(this.#value), ...this.#lanes.join(into, this.#value), set(into)];
      }),
    );
  }

  #result(total: readonly number[]): Code {
    const ranks = this.#part.sources.length;
    return lines(
      ...total.map((one): Code => [...this.#lanes.finish(one, ranks), set(one)]),
      this.#lanes.narrow(total, this.#value),
    );
  }
}

interface Access {
  readonly load: MemoryOp;
  readonly splat: PlainOp;
  readonly extract: LaneOp;
  readonly store: MemoryOp;
}

const accesses: Readonly<Record<number, Access>> & { readonly 8: Access } = {
  1: { load: 'i32.load8_u', splat: 'i8x16.splat', extract: 'i8x16.extract_lane_u', store: 'i32.store8' },
  2: { load: 'i32.load16_u', splat: 'i16x8.splat', extract: 'i16x8.extract_lane_u', store: 'i32.store16' },
  4: { load: 'i32.load', splat: 'i32x4.splat', extract: 'i32x4.extract_lane', store: 'i32.store' },
  8: { load: 'i64.load', splat: 'i64x2.splat', extract: 'i64x2.extract_lane', store: 'i64.store' },
};
