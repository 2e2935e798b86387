declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** In milliseconds. It is short compared with any operation of a software GPU. */
const REST = 0.2;
/** After this many rests, the operation is a long one, and rests are longer. */
const MANY = 20;
const LONG_REST = 1;

/**
 * A word on which a thread waits and that never wakes it; undefined on threads that may not wait,
 * such as a page's main thread.
 */
const bed = findBed();

/** The number of waits for a GPU. */
let waiting = 0;
/** The number of rests since the last wait began. */
let rests = 0;
let isTurning = false;

/**
 * During a wait for a GPU, the package webgpu polls the GPU in every iteration of Node's event
 * loop, and keeps the loop running. If the GPU is emulated on the CPU, this takes a core away from
 * it. So the loop rests briefly in each iteration until the returned function is called. It has no
 * effect in browsers, whose loops run only when there is work.
 */
export function restWhileWaiting(): () => void {
  if (bed === undefined) return () => undefined;
  waiting++;
  rests = 0;
  if (!isTurning) turn();
  return () => void waiting--;
}

function turn(): void {
  isTurning = bed !== undefined && waiting > 0;
  if (!isTurning) return;
  setImmediate?.(() => {
    if (bed !== undefined && waiting > 0) Atomics.wait(bed, 0, 0, rests++ < MANY ? REST : LONG_REST);
    turn();
  });
}

function findBed(): Int32Array | undefined {
  if (typeof setImmediate !== 'function' || typeof SharedArrayBuffer !== 'function') return undefined;
  const cell = new Int32Array(new SharedArrayBuffer(4));
  try {
    // It holds another value, so this does not wait.
    Atomics.wait(cell, 0, 1, 0);
    return cell;
  } catch {
    return undefined;
  }
}
