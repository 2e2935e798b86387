/**
 * The number of hardware queues that a process may use on a GPU. CUDA reads it once, at the first
 * `cuInit`, and its default is 8. If this many streams wait for a running kernel, work on any other
 * stream waits too. A kernel that waits for such work never ends.
 */
export const HARDWARE_QUEUES = 'CUDA_DEVICE_MAX_CONNECTIONS';

/** CUDA's largest number. */
const MOST = '32';

/**
 * Requests all of them in the environment of this process, unless it is set. Call it before
 * `cuInit`.
 */
export function askForQueues(): void {
  process.env[HARDWARE_QUEUES] ??= MOST;
}
