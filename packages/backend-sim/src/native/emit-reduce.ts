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
  memoryCopy,
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

/**
 * As many streams of addresses as processors look ahead for. More sources are added up one group after the other, in a destination,
 * and that goes to the others.
 */
const GROUP = 8;

/** Bytes of a part that are gone through in one call: calls are where an engine changes to better code. */
const CHUNK = 1 << 16;
/** What is gone through several times stays in the first cache meanwhile. */
const GROUPED_CHUNK = 1 << 12;

/** Packs of 16 bytes of each source that are under way at once: more of few sources; of many, there are no registers for more. */
function unrollOf(sources: number, vectors: number): number {
  if (vectors > 1) return 1;
  return sources <= 2 ? 4 : 2;
}

/** A function that does a part from byte `begin` to byte `end` of it, and how many bytes it had best be called for. */
export interface PartFunction {
  readonly function: WasmFunction;
  readonly chunk: number;
}

/** Reads each source once, and writes each destination once. */
export function emitReduce(name: string, part: ReducePart): PartFunction {
  const lanes = laneReduction(part.element, part.reduction);
  if (lanes === undefined) {
    throw new NcclError('NCCL_INTERNAL_ERROR', `There are no instructions for ${part.reduction} of ${part.element}.`);
  }
  const within = gatheringPlace(part, lanes);
  const emitter = new ReduceEmitter(part, lanes);
  const code = within === undefined ? emitter.pass(part) : emitter.groups(within);
  return {
    function: { name, params: ['i32', 'i32'], results: [], locals: emitter.locals, code, exported: false },
    chunk: within === undefined ? CHUNK : GROUPED_CHUNK,
  };
}

/** The destination in which many sources are added up: none that is still to be read when others have been. */
function gatheringPlace({ sources, destinations }: ReducePart, lanes: LaneReduction): number | undefined {
  if (sources.length <= GROUP || lanes.widen(0).length > 1) return undefined;
  const later = new Set(sources.slice(GROUP));
  return destinations.find((destination) => !later.has(destination));
}

const [begin, end, at] = [0, 1, 2];

/** What is reduced in one go. */
interface Pass {
  readonly sources: readonly number[];
  readonly destinations: readonly number[];
  /** Whether there is more to come. */
  readonly isPartial?: boolean;
}

class ReduceEmitter {
  readonly locals: WasmType[] = ['i32'];
  readonly #part: ReducePart;
  readonly #lanes: LaneReduction;
  readonly #packed: number;
  readonly #value: number;
  readonly #totals: readonly (readonly number[])[];
  #labels = 0;

  constructor(part: ReducePart, lanes: LaneReduction) {
    this.#part = part;
    this.#lanes = lanes;
    this.#packed = this.#local('v128');
    this.#value = this.#local('v128');
    const vectors = lanes.widen(this.#packed).length;
    const unroll = unrollOf(part.sources.length, vectors);
    this.#totals = Array.from({ length: unroll }, () => Array.from({ length: vectors }, () => this.#local('v128')));
  }

  pass(pass: Pass): Code {
    const totals = this.#totals;
    const { element, bytes } = this.#part;
    return lines(
      [get(begin), set(at)],
      this.#loop(totals.length * PACK, this.#packs(pass, totals)),
      totals.length === 1 ? [] : this.#loop(PACK, this.#packs(pass, totals.slice(0, 1))),
      bytes % PACK === 0 ? [] : this.#loop(scalarInfo[element].bytes, this.#single(pass, totals[0] ?? [])),
    );
  }

  groups(within: number): Code {
    const { sources, destinations } = this.#part;
    const code: Instruction[] = [];
    for (let first = 0; first < sources.length; first += GROUP) {
      const group = sources.slice(first, first + GROUP);
      const isPartial = first + GROUP < sources.length;
      code.push(...this.pass({ sources: first === 0 ? group : [within, ...group], destinations: [within], isPartial }));
    }
    const from = (base: number): Code => [i32(base), get(begin), op('i32.add')];
    for (const destination of destinations) {
      if (destination === within) continue;
      code.push(...from(destination), ...from(within), get(end), get(begin), op('i32.sub'), memoryCopy);
    }
    return code;
  }

  #local(type: WasmType): number {
    return this.locals.push(type) + 1;
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

  #packs(pass: Pass, totals: readonly (readonly number[])[]): Code {
    const { sources, destinations } = pass;
    const code: Instruction[] = [];
    sources.forEach((source, index) => {
      totals.forEach((total, i) => {
        const load: Code = [get(at), memory('v128.load', 1, source + i * PACK)];
        code.push(...this.#take(load, total, index === 0));
      });
    });
    totals.forEach((total, i) => {
      code.push(...this.#result(pass, total), set(this.#packed));
      for (const destination of destinations) {
        code.push(get(at), get(this.#packed), memory('v128.store', 1, destination + i * PACK));
      }
    });
    return code;
  }

  /** One element: in all lanes, of which the first counts. */
  #single(pass: Pass, total: readonly number[]): Code {
    const { bytes } = scalarInfo[this.#part.element];
    const { load, splat, extract, store } = accesses[bytes] ?? accesses[8];
    const { sources, destinations } = pass;
    return lines(
      ...sources.map((source, index) => this.#take([get(at), memory(load, 1, source), op(splat)], total, index === 0)),
      [...this.#result(pass, total), set(this.#packed)],
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

  #result({ isPartial = false }: Pass, total: readonly number[]): Code {
    const ranks = this.#part.sources.length;
    const finished = isPartial ? [] : total;
    return lines(
      ...finished.map((one): Code => [...this.#lanes.finish(one, ranks), set(one)]),
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
