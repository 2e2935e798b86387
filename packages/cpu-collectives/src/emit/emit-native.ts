import {
  block,
  br,
  brIf,
  call,
  get,
  i32,
  i64,
  lines,
  memory,
  memoryCopy,
  op,
  set,
  tee,
  type WasmCode,
  type WasmType,
  type WasmFunction,
  type WasmModule,
} from '@nccl-ts/codegen/encoder';
import { controlWords } from '../team/control-words.ts';
import type { CopyPart, NativePart, NativeWork } from '../plan/native-work.ts';
import { emitReduce, emitReduceAnywhere, type PartFunction, type ReduceShape } from './emit-reduce.ts';
import type { SumAlgorithm } from '../plan/sum-algorithm.ts';

/**
 * Data that is copied to several destinations stays in the second-level cache in between. With
 * smaller pieces, uncached copies take up to a tenth longer, because each piece starts anew.
 */
const CHUNK = 1 << 18;
/** The threads' shares begin at whole cache lines. */
const LINE = 64;
/** The number of reads of another thread's word before this one yields its core: about 0.1 ms. */
const SPINS = 1 << 16;
/**
 * The same if each thread can have its own core: about 0.2 ms, much longer than a nap. Otherwise a
 * thread that slept through the arrival of another would make that one sleep in turn, and so on. It
 * is also long enough for a system with two threads on one core to notice that both need a core.
 */
const SPINS_ON_CORES = 1 << 20;
const NAP_NANOSECONDS = 50_000n;

/** The options of a module besides its work. */
export interface NativeOptions {
  /** True if the threads share the memory. */
  readonly shared: boolean;
  /**
   * True if a thread that waits long may sleep for a moment. The main thread of a browser may not.
   */
  readonly naps: boolean;
  /** The number of cores. With at most that many threads, each has its own. */
  readonly cores: number;
  /** How sums reach their destinations, if the work supports it. @default 'straight' */
  readonly algorithm?: SumAlgorithm;
}

/**
 * Emits a module whose `run(thread, threads, times)` does the work the given number of times. All
 * `threads` threads must call it at the same time, each with its number. They synchronize between
 * repetitions and after the last one.
 *
 * Addresses are immediates of the loads and stores, so a loop has only one index, for any number of
 * ranks.
 */
export function emitNative(
  work: NativeWork,
  { shared, algorithm = 'straight', ...waiting }: NativeOptions,
): WasmModule {
  const parts = work.map((part, i) => partFunction(`part${i}`, part, algorithm));
  const functions = parts.map((part) => part.function);
  return {
    imports: [],
    shared,
    functions: [...functions, shares(work, parts), ...(shared ? [meet(waiting)] : []), run(shared)],
  };
}

function partFunction(name: string, part: NativePart, algorithm: SumAlgorithm): PartFunction {
  return part.kind === 'reduce' ? emitReduce(name, part, algorithm) : emitCopy(name, part);
}

/** Emits a copy of the bytes from `begin` to `end` of the source. */
function emitCopy(name: string, { source, destinations }: CopyPart): PartFunction {
  const [begin, end] = [0, 1];
  const at = (base: number): WasmCode => [i32(base), get(begin), op('i32.add')];
  const code = destinations
    .filter((destination) => destination !== source)
    .flatMap((destination) => [...at(destination), ...at(source), get(end), get(begin), op('i32.sub'), memoryCopy]);
  return { function: { name, params: ['i32', 'i32'], results: [], locals: [], code, exported: false }, chunk: CHUNK };
}

/** Emits the share of one thread of every part. */
function shares(work: NativeWork, parts: readonly PartFunction[]): WasmFunction {
  let label = 0;
  const code = work.flatMap(({ bytes }, i) => {
    const [out, loop, last] = [label++, label++, label++];
    const { chunk } = parts[i] ?? { chunk: CHUNK };
    return share({
      bytes: [i32(bytes)],
      chunk,
      labels: [out, loop, last],
      locals: [2, 3, 4],
      call: [call(`part${i}`)],
    });
  });
  return { name: 'shares', params: ['i32', 'i32'], results: [], locals: ['i32', 'i32', 'i32'], code, exported: false };
}

interface Share {
  /** The number of bytes of the part. */
  readonly bytes: WasmCode;
  readonly chunk: number;
  readonly labels: readonly [out: number, loop: number, last: number];
  readonly locals: readonly [begin: number, end: number, next: number];
  /** Takes the first byte and the end from the stack. */
  readonly call: WasmCode;
}

/** Emits calls for one piece of a thread's share after another. */
function share({ bytes, chunk, labels: [out, loop, last], locals: [begin, end, next], call: called }: Share): WasmCode {
  const [thread, threads] = [0, 1];
  const least = (limit: WasmCode, local: number): WasmCode =>
    lines(limit, get(local), limit, get(local), op('i32.lt_u'), op('select'));
  return lines(
    // begin: first the number of lines of a thread, in bytes; then the start of its share.
    [...bytes, i32(LINE - 1), op('i32.add'), i32(LINE), op('i32.div_u')],
    [get(threads), op('i32.add'), i32(1), op('i32.sub'), get(threads), op('i32.div_u'), i32(LINE)],
    [op('i32.mul'), tee(begin), get(begin), get(thread), op('i32.mul'), tee(begin), op('i32.add'), set(end)],
    [...least(bytes, end), set(end), ...least([get(end)], begin), set(begin)],
    [block('block', out), block('loop', loop)],
    [get(begin), get(end), op('i32.ge_u'), brIf(out)],
    // The remaining bytes, if they are fewer than a chunk.
    [get(begin), get(end), get(begin), op('i32.sub'), i32(chunk), op('i32.lt_u')],
    [block('if', last, 'i32'), get(end), op('else'), get(begin), i32(chunk), op('i32.add'), op('end')],
    [tee(next), ...called, get(next), set(begin), br(loop)],
    [op('end'), op('end')],
  );
}

/** A part without its addresses: a reduction, or a copy to some number of destinations. */
export type PartShape =
  | ({ readonly kind: 'reduce' } & ReduceShape)
  | { readonly kind: 'copy'; readonly destinations: number };

/**
 * Emits the same as `emitNative`, for any number of parts of one shape. The control words have the
 * number of parts and the address of their table, in which each part has a row of 32-bit words. The
 * first word is the number of bytes, and the others are the addresses, sources first.
 */
export function emitAnywhere(shape: PartShape, { shared, ...waiting }: NativeOptions): WasmModule {
  const part =
    shape.kind === 'reduce' ? emitReduceAnywhere('part', shape) : emitCopyAnywhere('part', shape.destinations);
  const functions = [part.function, rows(rowBytes(shape), part.chunk)];
  return { imports: [], shared, functions: [...functions, ...(shared ? [meet(waiting)] : []), run(shared)] };
}

/** Returns the size of a part's row in bytes. */
export function rowBytes(shape: PartShape): number {
  return 4 * (1 + (shape.kind === 'reduce' ? shape.sources : 1) + shape.destinations);
}

function emitCopyAnywhere(name: string, destinations: number): PartFunction {
  const [begin, end, row] = [0, 1, 2];
  const at = (word: number): WasmCode => [get(row), memory('i32.load', 4, 4 * word), get(begin), op('i32.add')];
  const code = Array.from({ length: destinations }, (_, i): WasmCode => {
    const other: WasmCode = [...at(0), ...at(1 + i), op('i32.ne'), block('if', i)];
    return [...other, ...at(1 + i), ...at(0), get(end), get(begin), op('i32.sub'), memoryCopy, op('end')];
  }).flat();
  return {
    function: { name, params: ['i32', 'i32', 'i32'], results: [], locals: [], code, exported: false },
    chunk: CHUNK,
  };
}

/** Emits the share of one thread of every part in the table. */
function rows(bytes: number, chunk: number): WasmFunction {
  const [left, row] = [5, 6];
  const [out, next] = [10, 11];
  const one = share({
    bytes: [get(row), memory('i32.load', 4)],
    chunk,
    labels: [0, 1, 2],
    locals: [2, 3, 4],
    call: [get(row), i32(4), op('i32.add'), call('part')],
  });
  const word = (address: number): WasmCode => [i32(0), memory('i32.load', 4, address)];
  const code = lines(
    [...word(controlWords.parts), set(left), ...word(controlWords.table), set(row)],
    [block('block', out), block('loop', next), get(left), op('i32.eqz'), brIf(out)],
    one,
    [get(row), i32(bytes), op('i32.add'), set(row), get(left), i32(1), op('i32.sub'), set(left)],
    [br(next), op('end'), op('end')],
  );
  const locals: readonly WasmType[] = ['i32', 'i32', 'i32', 'i32', 'i32'];
  return { name: 'shares', params: ['i32', 'i32'], results: [], locals, code, exported: false };
}

const { arrivals, arrivalStride } = controlWords;

/** Emits code that signals the arrival of this thread and waits for all others. */
function meet({ naps, cores }: Pick<NativeOptions, 'naps' | 'cores'>): WasmFunction {
  const [thread, threads, own, count, other, at, spins, most, seen] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
  const wordOf = (local: number): WasmCode => [get(local), i32(arrivalStride), op('i32.mul')];
  const atomic = (code: WasmCode, name: 'i32.atomic.load' | 'i32.atomic.store'): WasmCode => [
    ...code,
    memory(name, 4, arrivals),
  ];
  const [all, next, spin, isLong] = [0, 1, 2, 3];
  const howLong: WasmCode = naps
    ? [i32(SPINS_ON_CORES), i32(SPINS), get(threads), i32(cores), op('i32.le_u'), op('select'), set(most)]
    : [];
  const nap: WasmCode = naps
    ? lines(
        [
          get(spins),
          i32(1),
          op('i32.add'),
          tee(spins),
          get(most),
          op('i32.ge_u'),
          block('if', isLong),
          i32(0),
          set(spins),
        ],
        [get(at), get(seen), i64(NAP_NANOSECONDS), memory('memory.atomic.wait32', 4, arrivals), op('drop'), op('end')],
      )
    : [];
  const code = lines(
    howLong,
    [...wordOf(thread), tee(own), ...atomic([get(own)], 'i32.atomic.load'), i32(1), op('i32.add'), tee(count)],
    [memory('i32.atomic.store', 4, arrivals)],
    [block('block', all), block('loop', next)],
    [get(other), get(threads), op('i32.ge_u'), brIf(all), ...wordOf(other), set(at)],
    [get(other), i32(1), op('i32.add'), set(other)],
    [block('loop', spin)],
    // Counters wrap around, so only their difference is meaningful.
    [...atomic([get(at)], 'i32.atomic.load'), tee(seen), get(count), op('i32.sub'), i32(0), op('i32.ge_s'), brIf(next)],
    [...nap, br(spin), op('end')],
    [op('end'), op('end')],
  );
  const locals: readonly WasmType[] = ['i32', 'i32', 'i32', 'i32', 'i32', 'i32', 'i32'];
  return { name: 'meet', params: ['i32', 'i32'], results: [], locals, code, exported: false };
}

function run(shared: boolean): WasmFunction {
  const [thread, threads, times] = [0, 1, 2];
  const [out, loop] = [0, 1];
  const both: WasmCode = [get(thread), get(threads)];
  // A single thread has no other to wait for.
  const meeting: WasmCode = shared
    ? [get(threads), i32(1), op('i32.gt_u'), block('if', 2), ...both, call('meet'), op('end')]
    : [];
  // A thread that has received the job already comes after everything before it, so the first
  // repetition needs no barrier before it.
  const code = lines(
    [block('block', out), get(times), op('i32.eqz'), brIf(out), block('loop', loop)],
    [...both, call('shares'), ...meeting],
    [get(times), i32(1), op('i32.sub'), tee(times), op('i32.eqz'), brIf(out)],
    [...meeting, br(loop), op('end'), op('end')],
  );
  return { name: 'run', params: ['i32', 'i32', 'i32'], results: [], locals: [], code, exported: true };
}
