/**
 * The text of a worker in plain JavaScript, as a person would write it for two threads without
 * WebAssembly. It parks until `control[0]` changes, runs the request in the words after it, and
 * adds 1 to `control[1]`.
 *
 * The words of `control`:
 *
 * - 0: the command's number. 1: the answers. 3: the ranks. 4: the elements.
 * - 2: the command. 0 waits for another memory, 1 is an AllReduce, and 2 is a barrier.
 * - 5: in place. 6: the rounds. 7: the calls. 8: the wrong elements.
 * - 32 and 64: the workers' arrivals.
 *
 * `times` has the microseconds of the trial, and then of each round.
 *
 * The number of ranks is even. Two inputs at a time are added into a scratch buffer that stays in
 * the first cache, and `set` copies it to every output. This was the fastest of the forms tried. V8
 * vectorises none of them.
 */
export const plainJsWorker = `
'use strict';
const { workerData: { me, control, times, limit } } = require('node:worker_threads');
let arrivals = 0;
const [mine, other] = me === 0 ? [32, 64] : [64, 32];

function barrier() {
  arrivals = (arrivals + 1) | 0;
  Atomics.store(control, mine, arrivals);
  while (((Atomics.load(control, other) - arrivals) | 0) < 0);
}

// Four elements a turn: a quarter to a third faster than one.
function sumOfTwo(to, a, b, from, n) {
  for (let i = 0; i < n; i += 4) {
    const k = from + i;
    to[i] = a[k] + b[k];
    to[i + 1] = a[k + 1] + b[k + 1];
    to[i + 2] = a[k + 2] + b[k + 2];
    to[i + 3] = a[k + 3] + b[k + 3];
  }
}

function addTwo(to, a, b, from, n) {
  const round = Math.fround;
  for (let i = 0; i < n; i += 4) {
    const k = from + i;
    to[i] = round(to[i] + a[k]) + b[k];
    to[i + 1] = round(to[i + 1] + a[k + 1]) + b[k + 1];
    to[i + 2] = round(to[i + 2] + a[k + 2]) + b[k + 2];
    to[i + 3] = round(to[i + 3] + a[k + 3]) + b[k + 3];
  }
}

function allReduce(inputs, outputs, scratch, from, to) {
  const ranks = inputs.length, n = scratch.length;
  for (let at = from; at < to; at += n) {
    sumOfTwo(scratch, inputs[0], inputs[1], at, n);
    for (let r = 2; r < ranks; r += 2) addTwo(scratch, inputs[r], inputs[r + 1], at, n);
    for (let r = 0; r < ranks; r++) outputs[r].set(scratch, at);
  }
}

// Whether the sums are right, and in the ranks' order. Leaves zeros: sums in place that grow would become infinite.
function check(inputs, outputs, work) {
  const ranks = inputs.length, elements = inputs[0].length;
  if (me === 0) for (let r = 0; r < ranks; r++) for (let i = 0; i < elements; i++) inputs[r][i] = (i % 13) / 3 + r / 5;
  barrier();
  work();
  barrier();
  if (me === 0) {
    for (let i = 0; i < elements; i++) {
      let sum = Math.fround((i % 13) / 3);
      for (let r = 1; r < ranks; r++) sum = Math.fround(sum + Math.fround((i % 13) / 3 + r / 5));
      for (const output of outputs) if (output[i] !== sum) Atomics.add(control, 8, 1);
    }
    for (const array of [...inputs, ...outputs]) array.fill(0);
  }
  barrier();
}

function block(calls, call) {
  barrier();
  const start = performance.now();
  for (let i = 0; i < calls; i++) call();
  barrier();
  return ((performance.now() - start) * 1000) / calls;
}

function time(call, rounds) {
  for (let calls = 1; ; calls *= 4) {
    const us = block(calls, call);
    if (me === 0) {
      times[0] = us;
      Atomics.store(control, 7, us * calls > limit * 250 || calls > 1e6 ? Math.max(1, Math.floor((limit * 1000) / us)) : 0);
    }
    barrier();
    if (Atomics.load(control, 7) > 0) break;
    barrier();
  }
  const calls = Atomics.load(control, 7);
  for (let round = 0; round < rounds; round++) {
    const us = block(calls, call);
    if (me === 0) times[1 + round] = us;
  }
}

function answer() {
  Atomics.add(control, 1, 1);
  Atomics.notify(control, 1);
}

let memory;
require('node:worker_threads').parentPort.on('message', (buffer) => {
  memory = buffer;
  // Read before the answer: afterwards the next command may come at any time.
  let seen = Atomics.load(control, 0);
  answer();
  for (;;) {
    Atomics.wait(control, 0, seen);
    if (Atomics.load(control, 0) === seen) continue;
    seen = Atomics.load(control, 0);
    const [what, ranks, elements, inPlace, rounds] = control.subarray(2, 7);
    if (what === 1) {
      const stride = elements + 320;
      const view = (r) => new Float32Array(memory, r * stride * 4, elements);
      const inputs = Array.from({ length: ranks }, (_, r) => view(r));
      const outputs = inPlace ? inputs : Array.from({ length: ranks }, (_, r) => view(ranks + r));
      const half = elements / 2;
      const scratch = new Float32Array(Math.min(2048, half));
      const work = () => allReduce(inputs, outputs, scratch, me * half, me * half + half);
      if (elements <= 65536) check(inputs, outputs, work);
      time(() => {
        barrier();
        work();
        barrier();
      }, rounds);
    }
    if (what === 2) time(barrier, rounds);
    if (what === 0) memory = undefined;
    answer();
    if (what === 0) return;
  }
});
`;
