/**
 * The number of hardware queues that a process may use on a GPU. CUDA reads it once, at the first
 * `cuInit`. The default is 8. If this many streams wait for a running kernel, work on any other
 * stream waits too. A kernel that waits for such work never ends.
 */
export const HARDWARE_QUEUES = 'CUDA_DEVICE_MAX_CONNECTIONS';

/** CUDA's largest number of queues. */
const MOST = '32';

/**
 * Requests all queues in the environment of this process, unless the variable is set. It must be
 * called before `cuInit`.
 */
export function requestQueues(): void {
  process.env[HARDWARE_QUEUES] ??= MOST;
}
