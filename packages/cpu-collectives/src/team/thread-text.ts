import { controlWords } from './control-words.ts';

/**
 * The program of a team's threads, except the first. It reads messages, and lets its module
 * (`emitServe`) do the jobs until there are further messages.
 */
export const threadText: string = `'use strict';
const port = typeof require === 'function' ? require('node:worker_threads').parentPort : self;
const table = new WebAssembly.Table({ element: 'anyfunc', initial: 16 });
let memory, words, thread, serve, last = 0, seen = 0;
const exportsOf = (module) => new WebAssembly.Instance(module, { env: { memory, table } }).exports;
port.onmessage = ({ data }) => {
  if (data.kind === 'open') {
    ({ memory, thread } = data);
    words = new Int32Array(memory.buffer, 0, 1024);
    ({ serve } = exportsOf(data.serve));
  } else {
    if (data.job >= table.length) table.grow(table.length);
    table.set(data.job, exportsOf(data.module).run);
  }
  seen++;
  Atomics.add(words, ${controlWords.handled / 4}, 1);
  last = serve(thread, seen, last);
};
`;
