import type { Koffi } from '../ffi/koffi.ts';

let isArranged = false;

/**
 * At a process's exit, the driver waits for running kernels: one that never ends would keep the
 * process forever. After this call the process ends immediately when it would exit, after its other
 * listeners of `exit`; the system then frees the GPUs.
 */
export function exitWithoutWaiting(koffi: Koffi): void {
  if (isArranged) return;
  isArranged = true;
  const end = koffi.load('libc.so.6').func('_exit', 'void', ['int']);
  process.once('exit', (code) => {
    end(code);
  });
}
