import {
  block,
  br,
  brIf,
  call,
  callIndirect,
  get,
  i32,
  i64,
  lines,
  memory,
  op,
  set,
  tee,
  type WasmCode,
  type WasmType,
  type WasmFunction,
  type WasmModule,
} from '@nccl-ts/codegen/encoder';
import { controlWords } from './control-words.ts';

/**
 * The number of checks for work before a thread sleeps. They take longer than waking a thread,
 * which takes some 30 us.
 */
const SPINS = 1 << 15;
const FOREVER = -1n;

const { ticket, job, threads, times, posted, sleepers } = controlWords;

/**
 * Emits a module whose `serve(thread, seen, last)` does the jobs that come after ticket `last`. The
 * jobs are in `env.table` under their numbers. It returns the last ticket when there are more
 * messages than the `seen` ones.
 *
 * It is WebAssembly, because a thread that has slept runs uncached code, and JavaScript would read
 * more of it.
 */
export function emitServe(): WasmModule {
  return { imports: [], shared: true, table: true, functions: [serve(), one()] };
}

function serve(): WasmFunction {
  const [thread, seen, last] = [0, 1, 2];
  const [out, next] = [0, 1];
  const code = lines(
    [block('block', out), block('loop', next)],
    [...word(posted), get(seen), op('i32.ne'), brIf(out)],
    [get(thread), get(last), call('one'), set(last), br(next), op('end'), op('end'), get(last)],
  );
  return { name: 'serve', params: ['i32', 'i32', 'i32'], results: ['i32'], locals: [], code, exported: true };
}

/**
 * Does the next job and returns its ticket. It is a separate function, since an engine switches to
 * better code when a function is called again.
 */
function one(): WasmFunction {
  const [thread, last, at] = [0, 1, 4];
  const skip = 0;
  const code = lines(
    awaitTicket(last, 2),
    [block('block', skip), ...word(job), tee(at), i32(0), op('i32.lt_s'), brIf(skip)],
    [get(thread), ...word(threads), op('i32.ge_u'), brIf(skip)],
    [get(thread), ...word(threads), ...word(times), get(at), callIndirect(['i32', 'i32', 'i32'], []), op('end')],
    [get(last)],
  );
  const locals: readonly WasmType[] = ['i32', 'i32', 'i32'];
  return { name: 'one', params: ['i32', 'i32'], results: ['i32'], locals, code, exported: false };
}

/** Waits until the ticket is no longer `last`. It spins for a moment, and then sleeps. */
function awaitTicket(last: number, spins: number): WasmCode {
  const now = spins + 1;
  const [awake, look, asleep] = [1, 2, 3];
  const sleeps = (change: number): WasmCode => [
    i32(0),
    i32(change),
    memory('i32.atomic.rmw.add', 4, sleepers),
    op('drop'),
  ];
  return lines(
    [i32(SPINS), set(spins), block('block', awake), block('loop', look)],
    [...word(ticket), tee(now), get(last), op('i32.ne'), brIf(awake)],
    [get(spins), i32(1), op('i32.sub'), tee(spins), brIf(look), op('end')],
    sleeps(1),
    [block('loop', asleep), i32(0), get(last), i64(FOREVER), memory('memory.atomic.wait32', 4, ticket), op('drop')],
    // A thread may wake without a reason.
    [...word(ticket), tee(now), get(last), op('i32.eq'), brIf(asleep), op('end')],
    sleeps(-1),
    [op('end'), get(now), set(last)],
  );
}

function word(address: number): WasmCode {
  return [i32(0), memory('i32.atomic.load', 4, address)];
}
