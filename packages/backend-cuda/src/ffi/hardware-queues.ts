/**
 * How many queues of a GPU a process may use. CUDA looks once, at `cuInit`, whoever calls it, and
 * has 8 where nothing is said. Where as many streams have something waiting behind a kernel that
 * runs, what comes on any other stream waits too: a kernel that waits for that one never ends.
 */
export const HARDWARE_QUEUES = 'CUDA_DEVICE_MAX_CONNECTIONS';

/** As many as CUDA has at most. */
const MOST = '32';

/**
 * Asks for all of them in the environment of this process, unless that says something else. To be
 * called before `cuInit`.
 */
export function askForQueues(): void {
  process.env[HARDWARE_QUEUES] ??= MOST;
}
