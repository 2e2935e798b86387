import { at, NcclError, scalarInfo } from '@nccl-ts/core';
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
  memoryFill,
  op,
  set,
  type WasmCode,
  type Instruction,
  type LaneOp,
  type MemoryOp,
  type PlainOp,
  type WasmType,
  type WasmFunction,
} from '@nccl-ts/codegen/encoder';
import { laneReduction, type LaneReduction } from './lane-reduction.ts';
import type { ReducePart } from '../plan/native-work.ts';
import { canGo, SOURCES_AT_ONCE, type SumAlgorithm } from '../plan/sum-algorithm.ts';

const PACK = 16;

/** The bytes of a part in one call. An engine switches to better code at calls. */
const CHUNK = 1 << 16;
/**
 * With this size, data that is accessed several times stays in the first-level cache in between.
 */
const GROUPED_CHUNK = 1 << 12;

/** With this size, zeroed destinations stay in the first-level cache until they are written. */
const ZEROED_CHUNK = 1 << 10;

/**
 * With this size, data that is passed on and its destinations are still in the first-level cache.
 */
const FIRST_CACHE = 1 << 15;
const LINE = 64;

/**
 * Returns the number of 16-byte packs of each source in flight. If the registers suffice, it is a
 * line of 64 bytes, since writing whole lines in sequence takes less time.
 */
function unrollOf(sources: number, vectors: number): number {
  if (vectors === 1) return 4;
  return sources <= 4 ? 2 : 1;
}

/**
 * A function that does a part from byte `begin` to byte `end`, and the best number of bytes for one
 * call.
 */
export interface PartFunction {
  readonly function: WasmFunction;
  readonly chunk: number;
}

/**
 * Emits code that reads each source once, and writes each destination once, or twice with
 * `zeroedFirst`. A part that does not support the way uses the straight one.
 */
export function emitReduce(name: string, part: ReducePart, requested: SumAlgorithm): PartFunction {
  const algorithm = canGo(part, requested) ? requested : 'straight';
  const lanes = lanesOf(part);
  const within = gatheringIndex(part, lanes);
  const params: readonly WasmType[] = ['i32', 'i32'];
  const emitter = new ReduceEmitter({ ...part, isWhole: part.bytes % PACK === 0 }, lanes, params);
  const made = (code: WasmCode, chunk: number): PartFunction => ({
    function: { name, params, results: [], locals: emitter.locals, code, exported: false },
    chunk,
  });
  if (within !== undefined) return made(emitter.groups(within), GROUPED_CHUNK);
  const [first] = part.destinations;
  if (algorithm === 'passedOn' && first !== undefined) {
    return made(emitter.groups(first), Math.floor(FIRST_CACHE / part.sources.length / LINE) * LINE);
  }
  if (algorithm === 'zeroedFirst') return made(lines(zeroes(part), emitter.pass(part)), ZEROED_CHUNK);
  return made(emitter.pass(part), CHUNK);
}

/** Emits the same for any addresses. A third parameter is their location, sources first. */
export function emitReduceAnywhere(name: string, shape: ReduceShape): PartFunction {
  const params: readonly WasmType[] = ['i32', 'i32', 'i32'];
  const emitter = new ReduceEmitter(
    { ...shape, sources: [], destinations: [], isWhole: false },
    lanesOf(shape),
    params,
  );
  const sources = Array.from({ length: shape.sources }, () => emitter.addressLocal());
  const destinations = Array.from({ length: shape.destinations }, () => emitter.addressLocal());
  const load = [...sources, ...destinations].flatMap(({ local }, i): WasmCode => [
    get(row),
    memory('i32.load', 4, 4 * i),
    set(local),
  ]);
  const code = lines(load, emitter.pass({ sources, destinations, ranks: shape.sources }));
  return { function: { name, params, results: [], locals: emitter.locals, code, exported: false }, chunk: CHUNK };
}

/** A reduction without its addresses. */
export interface ReduceShape extends Pick<ReducePart, 'element' | 'reduction'> {
  /** The number of sources. */
  readonly sources: number;
  readonly destinations: number;
}

function lanesOf({ element, reduction }: Pick<ReducePart, 'element' | 'reduction'>): LaneReduction {
  const lanes = laneReduction(element, reduction);
  if (lanes !== undefined) return lanes;
  throw new NcclError('NCCL_INTERNAL_ERROR', `There are no instructions for ${reduction} of ${element}.`);
}

/**
 * Returns the destination in which many sources are added. It must not be a source that is read
 * later.
 */
function gatheringIndex({ sources, destinations }: ReducePart, lanes: LaneReduction): number | undefined {
  if (sources.length <= SOURCES_AT_ONCE || lanes.widen(0).length > 1) return undefined;
  const later = new Set(sources.slice(SOURCES_AT_ONCE));
  return destinations.find((destination) => !later.has(destination));
}

const [begin, end, row] = [0, 1, 2];

function zeroes({ destinations }: ReducePart): WasmCode {
  const bytes: WasmCode = [get(end), get(begin), op('i32.sub')];
  return destinations.flatMap((base): WasmCode => [i32(base), get(begin), op('i32.add'), i32(0), ...bytes, memoryFill]);
}

/** The location of bytes: an address, or a local that holds one. */
type Base = number | { readonly local: number };

/** One pass of a reduction. */
interface Pass {
  readonly sources: readonly Base[];
  readonly destinations: readonly Base[];
  /** True if further passes follow. */
  readonly isPartial?: boolean;
  /** The divisor of an average, if it is not the number of sources. */
  readonly ranks?: number;
}

/** The reduction of a function. */
interface Reduced extends Pick<ReducePart, 'element' | 'sources' | 'destinations'> {
  /** True if all shares are whole packs. */
  readonly isWhole: boolean;
}

class ReduceEmitter {
  /** The types of the locals. The first local counts bytes. */
  readonly locals: WasmType[] = ['i32'];
  readonly #part: Reduced;
  readonly #params: number;
  readonly #lanes: LaneReduction;
  readonly #packed: number;
  readonly #value: number;
  readonly #totals: readonly (readonly number[])[];
  /** The results to store, one for each total. */
  readonly #packs16: readonly number[];
  #labels = 0;

  constructor(part: Reduced, lanes: LaneReduction, params: readonly WasmType[]) {
    this.#part = part;
    this.#params = params.length;
    this.#lanes = lanes;
    this.#packed = this.#local('v128');
    this.#value = this.#local('v128');
    const vectors = lanes.widen(this.#packed).length;
    const unroll = unrollOf(part.sources.length, vectors);
    this.#totals = Array.from({ length: unroll }, () => Array.from({ length: vectors }, () => this.#local('v128')));
    this.#packs16 = this.#totals.map(() => this.#local('v128'));
  }

  addressLocal(): { readonly local: number } {
    return { local: this.#local('i32') };
  }

  pass(pass: Pass): WasmCode {
    const totals = this.#totals;
    const { element, isWhole } = this.#part;
    return lines(
      [get(begin), set(this.#at)],
      this.#loop(totals.length * PACK, this.#packs(pass, totals)),
      totals.length === 1 ? [] : this.#loop(PACK, this.#packs(pass, totals.slice(0, 1))),
      isWhole ? [] : this.#loop(scalarInfo[element].bytes, this.#single(pass, totals[0] ?? [])),
    );
  }

  /**
   * Adds the sources group by group in `within`, and copies the result to the other destinations.
   */
  groups(within: number): WasmCode {
    const { sources, destinations } = this.#part;
    const code: Instruction[] = [];
    for (let first = 0; first < sources.length; first += SOURCES_AT_ONCE) {
      const group = sources.slice(first, first + SOURCES_AT_ONCE);
      const isPartial = first + SOURCES_AT_ONCE < sources.length;
      code.push(...this.pass({ sources: first === 0 ? group : [within, ...group], destinations: [within], isPartial }));
    }
    const from = (base: number): WasmCode => [i32(base), get(begin), op('i32.add')];
    for (const destination of destinations) {
      if (destination === within) continue;
      code.push(...from(destination), ...from(within), get(end), get(begin), op('i32.sub'), memoryCopy);
    }
    return code;
  }

  get #at(): number {
    return this.#params;
  }

  #local(type: WasmType): number {
    return this.#params + this.locals.push(type) - 1;
  }

  /**
   * Returns the index of an access `shift` bytes after the current position of `base`, and its
   * offset.
   */
  #addressOf(base: Base, shift = 0): { readonly index: WasmCode; readonly offset: number } {
    if (typeof base === 'number') return { index: [get(this.#at)], offset: base + shift };
    return { index: [get(this.#at), get(base.local), op('i32.add')], offset: shift };
  }

  /** Emits `body` for every `step` bytes that are left. */
  #loop(step: number, body: WasmCode): WasmCode {
    const [out, loop] = [this.#labels++, this.#labels++];
    return lines(
      [block('block', out), block('loop', loop)],
      [get(end), get(this.#at), op('i32.sub'), i32(step), op('i32.lt_u'), brIf(out)],
      body,
      [get(this.#at), i32(step), op('i32.add'), set(this.#at), br(loop), op('end'), op('end')],
    );
  }

  #packs(pass: Pass, totals: readonly (readonly number[])[]): WasmCode {
    const { sources, destinations } = pass;
    const [first, ...others] = destinations;
    const code: Instruction[] = [];
    const store = (destination: Base, i: number): void => {
      const { index, offset } = this.#addressOf(destination, i * PACK);
      code.push(...index, get(at(this.#packs16, i)), memory('v128.store', 1, offset));
    };
    totals.forEach((total, i) => {
      sources.forEach((source, index) => {
        const { index: place, offset } = this.#addressOf(source, i * PACK);
        code.push(...this.#take([...place, memory('v128.load', 1, offset)], total, index === 0));
      });
      code.push(...this.#result(pass, total), set(at(this.#packs16, i)));
      // A store forces the sum before the next loads. Engines delay sums, and have too few
      // registers for everything that is loaded until then.
      if (first !== undefined) store(first, i);
    });
    for (const destination of others) totals.forEach((_, i) => store(destination, i));
    return code;
  }

  /** One element in all lanes, of which only the first counts. */
  #single(pass: Pass, total: readonly number[]): WasmCode {
    const { bytes } = scalarInfo[this.#part.element];
    const { load, splat, extract, store } = accesses[bytes] ?? accesses[8];
    const { sources, destinations } = pass;
    return lines(
      ...sources.map((source, i) => {
        const { index, offset } = this.#addressOf(source);
        return this.#take([...index, memory(load, 1, offset), op(splat)], total, i === 0);
      }),
      [...this.#result(pass, total), set(this.#packed)],
      ...destinations.map((destination): WasmCode => {
        const { index, offset } = this.#addressOf(destination);
        return [...index, get(this.#packed), lane(extract, 0), memory(store, 1, offset)];
      }),
    );
  }

  /** Adds the loaded value to the totals. */
  #take(load: WasmCode, total: readonly number[], isFirst: boolean): WasmCode {
    const widened = this.#lanes.widen(this.#packed);
    return lines(
      [...load, set(this.#packed)],
      ...widened.map((one, i): WasmCode => {
        const into = at(total, i);
        if (isFirst) return [...one, set(into)];
        return [...one, set(this.#value), ...this.#lanes.join(into, this.#value), set(into)];
      }),
    );
  }

  #result({ isPartial = false, ranks = this.#part.sources.length }: Pass, total: readonly number[]): WasmCode {
    const finished = isPartial ? [] : total;
    return lines(
      ...finished.map((one): WasmCode => [...this.#lanes.finish(one, ranks), set(one)]),
      this.#lanes.narrow(total, this.#value),
    );
  }
}

interface VectorMemoryOps {
  readonly load: MemoryOp;
  readonly splat: PlainOp;
  readonly extract: LaneOp;
  readonly store: MemoryOp;
}

const accesses: Readonly<Record<number, VectorMemoryOps>> & { readonly 8: VectorMemoryOps } = {
  1: { load: 'i32.load8_u', splat: 'i8x16.splat', extract: 'i8x16.extract_lane_u', store: 'i32.store8' },
  2: { load: 'i32.load16_u', splat: 'i16x8.splat', extract: 'i16x8.extract_lane_u', store: 'i32.store16' },
  4: { load: 'i32.load', splat: 'i32x4.splat', extract: 'i32x4.extract_lane', store: 'i32.store' },
  8: { load: 'i64.load', splat: 'i64x2.splat', extract: 'i64x2.extract_lane', store: 'i64.store' },
};
