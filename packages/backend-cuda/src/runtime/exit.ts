import type { Koffi } from '../ffi/koffi.ts';

let isArranged = false;

/**
 * Ends the process without waiting for kernels. At exit, the driver waits for running kernels, and
 * one that never ends would keep the process alive forever. After this call, the process ends
 * immediately when it exits, after its other `exit` listeners. The system then frees the GPUs.
 */
export function exitWithoutWaiting(koffi: Koffi): void {
  if (isArranged) return;
  isArranged = true;
  const end = koffi.load('libc.so.6').func('_exit', 'void', ['int']);
  process.once('exit', (code) => {
    end(code);
  });
}
