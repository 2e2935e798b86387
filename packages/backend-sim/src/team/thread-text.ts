import { controlWords } from './control-words.ts';

/** Looks for something to do before a thread sleeps: longer than it takes to wake one, which is some 30 us. */
const SPINS = 30_000;

const { ticket, job, threads, times, posted, handled, sleepers } = controlWords;

/**
 * The program of a team's threads but the first. It spins for a moment where there is nothing to do, since to be woken takes longer
 * than most jobs, and sleeps then. It comes back to its event loop only where there are messages.
 */
export const threadText: string = `'use strict';
const port = typeof require === 'function' ? require('node:worker_threads').parentPort : self;
const jobs = [];
let memory, words, thread, last = 0, seen = 0;
port.onmessage = ({ data }) => {
  if (data.kind === 'open') {
    ({ memory, thread } = data);
    words = new Int32Array(memory.buffer, 0, 1024);
  } else {
    jobs[data.job] = new WebAssembly.Instance(data.module, { env: { memory } }).exports.run;
  }
  seen++;
  Atomics.add(words, ${handled / 4}, 1);
  serve();
};
function serve() {
  for (;;) {
    if (Atomics.load(words, ${posted / 4}) !== seen) return;
    last = next();
    const at = Atomics.load(words, ${job / 4});
    const among = Atomics.load(words, ${threads / 4});
    if (at >= 0 && thread < among) jobs[at](thread, among, Atomics.load(words, ${times / 4}));
  }
}
function next() {
  for (let i = 0; i < ${SPINS}; i++) {
    const now = Atomics.load(words, ${ticket / 4});
    if (now !== last) return now;
  }
  Atomics.add(words, ${sleepers / 4}, 1);
  Atomics.wait(words, ${ticket / 4}, last);
  Atomics.sub(words, ${sleepers / 4}, 1);
  return Atomics.load(words, ${ticket / 4});
}
`;
