declare const setImmediate: ((callback: () => void) => unknown) | undefined;

/** In milliseconds: little beside what a software GPU needs for anything. */
const REST = 0.2;

/** What a thread waits on that nobody wakes; none where it may not wait, as those of pages. */
const bed = findBed();

/** How many wait for a GPU. */
let waiting = 0;
let isTurning = false;

/**
 * While somebody waits for a GPU, the package webgpu asks it in every turn of Node's event loop
 * whether it is done, and keeps the loop turning. Where the GPU is a program for the CPU, that
 * takes a core away from the GPU itself: so until the function that this answers is called, the
 * loop rests for a moment in each of its turns. Does nothing in browsers, whose loops turn only
 * when there is something to do.
 */
export function restWhileWaiting(): () => void {
  if (bed === undefined) return () => undefined;
  waiting++;
  if (!isTurning) turn();
  return () => void waiting--;
}

function turn(): void {
  isTurning = bed !== undefined && waiting > 0;
  if (!isTurning) return;
  setImmediate?.(() => {
    if (bed !== undefined && waiting > 0) Atomics.wait(bed, 0, 0, REST);
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
