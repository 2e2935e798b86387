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
  type Code,
} from '../emit-wasm/instruction.ts';
import type { WasmType } from '../emit-wasm/opcodes.ts';
import type { WasmFunction, WasmModule } from '../emit-wasm/wasm-module.ts';
import { controlWords } from '../team/control-words.ts';
import type { CopyPart, NativePart, NativeWork } from './native-work.ts';
import { emitReduce, type PartFunction } from './emit-reduce.ts';

/** What is copied to several places stays in the first cache meanwhile. */
const CHUNK = 1 << 14;
/** Shares of threads begin at whole cache lines. */
const LINE = 64;
/** Looks at another thread's word before this one gives up its core for a moment: longer than it takes to wake a thread. */
const SPINS = 1 << 16;
const NAP_NANOSECONDS = 50_000n;

/** What can be asked of the module beside its work. */
export interface NativeOptions {
  /** Whether threads share the memory. */
  readonly shared: boolean;
  /** Whether a thread that waits for long may sleep for a moment: the main thread of a browser may not. */
  readonly naps: boolean;
}

/**
 * A module whose `run(thread, threads, times)` does the work so many times over. All of `threads` threads call it at once, each with
 * its number: before each time, and after it, they meet.
 *
 * Addresses are immediates of the loads and stores: a loop has one index, however many ranks there are.
 */
export function emitNative(work: NativeWork, { shared, naps }: NativeOptions): WasmModule {
  const parts = work.map((part, i) => partFunction(`part${i}`, part));
  const functions = parts.map((part) => part.function);
  return {
    imports: [],
    shared,
    functions: [...functions, shares(work, parts), ...(shared ? [meet(naps)] : []), run(shared)],
  };
}

function partFunction(name: string, part: NativePart): PartFunction {
  return part.kind === 'reduce' ? emitReduce(name, part) : emitCopy(name, part);
}

/** Copies the bytes from `begin` to `end` of the source. */
function emitCopy(name: string, { source, destinations }: CopyPart): PartFunction {
  const [begin, end] = [0, 1];
  const at = (base: number): Code => [i32(base), get(begin), op('i32.add')];
  const code = destinations
    .filter((destination) => destination !== source)
    .flatMap((destination) => [...at(destination), ...at(source), get(end), get(begin), op('i32.sub'), memoryCopy]);
  return { function: { name, params: ['i32', 'i32'], results: [], locals: [], code, exported: false }, chunk: CHUNK };
}

/** Does the share of one thread of every part. */
function shares(work: NativeWork, parts: readonly PartFunction[]): WasmFunction {
  const [thread, threads, begin, end, next] = [0, 1, 2, 3, 4];
  let label = 0;
  const code = work.flatMap((part, i): Code => {
    const { bytes } = part;
    const chunk = parts[i]?.chunk ?? CHUNK;
    const least = (limit: Code, local: number): Code => [
      ...limit,
      get(local),
      ...limit,
      get(local),
      op('i32.lt_u'),
      op('select'),
    ];
    const share = Math.ceil(bytes / LINE);
    const [out, loop] = [label++, label++];
    return lines(
      // begin: how many bytes a thread takes, then where it begins.
      [i32(share), get(threads), op('i32.add'), i32(1), op('i32.sub'), get(threads), op('i32.div_u'), i32(LINE)],
      [op('i32.mul'), tee(begin), get(begin), get(thread), op('i32.mul'), tee(begin), op('i32.add'), set(end)],
      [...least([i32(bytes)], end), set(end), ...least([get(end)], begin), set(begin)],
      [block('block', out), block('loop', loop)],
      [get(begin), get(end), op('i32.ge_u'), brIf(out)],
      // The bytes that are left, where they are fewer than a chunk.
      [get(begin), get(end), get(begin), op('i32.sub'), i32(chunk), op('i32.lt_u')],
      [block('if', label, 'i32'), get(end), op('else'), get(begin), i32(chunk), op('i32.add'), op('end')],
      [tee(next), call(`part${i}`), get(next), set(begin), br(loop)],
      [op('end'), op('end')],
    );
  });
  return { name: 'shares', params: ['i32', 'i32'], results: [], locals: ['i32', 'i32', 'i32'], code, exported: false };
}

const { arrivals, arrivalStride } = controlWords;

/** Tells the others that this thread has come, and waits until all have. */
function meet(naps: boolean): WasmFunction {
  const [thread, threads, own, count, other, at, spins, seen] = [0, 1, 2, 3, 4, 5, 6, 7];
  const wordOf = (local: number): Code => [get(local), i32(arrivalStride), op('i32.mul')];
  const atomic = (code: Code, name: 'i32.atomic.load' | 'i32.atomic.store'): Code => [
    ...code,
    memory(name, 4, arrivals),
  ];
  const [all, next, spin] = [0, 1, 2];
  const nap: Code = naps
    ? lines(
        [get(spins), i32(1), op('i32.add'), tee(spins), i32(SPINS), op('i32.ge_u'), block('if', 3), i32(0), set(spins)],
        [get(at), get(seen), i64(NAP_NANOSECONDS), memory('memory.atomic.wait32', 4, arrivals), op('drop'), op('end')],
      )
    : [];
  const code = lines(
    [...wordOf(thread), tee(own), ...atomic([get(own)], 'i32.atomic.load'), i32(1), op('i32.add'), tee(count)],
    [memory('i32.atomic.store', 4, arrivals)],
    [block('block', all), block('loop', next)],
    [get(other), get(threads), op('i32.ge_u'), brIf(all), ...wordOf(other), set(at)],
    [get(other), i32(1), op('i32.add'), set(other)],
    [block('loop', spin)],
    // Counts go round, so it is their difference that tells.
    [...atomic([get(at)], 'i32.atomic.load'), tee(seen), get(count), op('i32.sub'), i32(0), op('i32.ge_s'), brIf(next)],
    [...nap, br(spin), op('end')],
    [op('end'), op('end')],
  );
  const locals: readonly WasmType[] = ['i32', 'i32', 'i32', 'i32', 'i32', 'i32'];
  return { name: 'meet', params: ['i32', 'i32'], results: [], locals, code, exported: false };
}

function run(shared: boolean): WasmFunction {
  const [thread, threads, times] = [0, 1, 2];
  const [out, loop] = [0, 1];
  const both: Code = [get(thread), get(threads)];
  // Who is alone meets nobody.
  const meeting: Code = shared
    ? [get(threads), i32(1), op('i32.gt_u'), block('if', 2), ...both, call('meet'), op('end')]
    : [];
  const code = lines(
    [block('block', out), block('loop', loop), get(times), op('i32.eqz'), brIf(out)],
    [...meeting, ...both, call('shares'), ...meeting],
    [get(times), i32(1), op('i32.sub'), set(times), br(loop), op('end'), op('end')],
  );
  return { name: 'run', params: ['i32', 'i32', 'i32'], results: [], locals: [], code, exported: true };
}
