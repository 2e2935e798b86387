import { runOnePerTask, runSingleProcess } from './09-communicators/run.ts';
import { runCollectives } from './10-collectives/run.ts';
import { runBufferRegistration } from './11-buffer-registration/run.ts';
import { runSymmetricAllGather, runSymmetricAllReduce } from './12-symmetric-memory/run.ts';
import { runPointToPoint } from './13-point-to-point/run.ts';
import type { Example, ExampleOptions } from './example.ts';

/**
 * NCCL's examples of the host API, which contain no kernels. In all except the first, the ranks
 * must reach each other's memory.
 */
export const hostExamples: readonly Example[] = [
  {
    name: '09-communicators-single-process',
    title: 'the communicators of all ranks, created by one call',
    needs: [],
    full: runSingleProcess,
    small: runSingleProcess,
  },
  {
    name: '09-communicators-tasks',
    title: 'a communicator for each rank, created by that rank',
    needs: [],
    full: runOnePerTask,
    small: runOnePerTask,
  },
  // NCCL's example has 32 Mi elements, which is slow in the simulator.
  sized('10-collectives', 'a sum over all ranks, by one call', runCollectives),
  sized('11-buffer-registration', "the same with the program's own buffers, registered", runBufferRegistration),
  sized('12-symmetric-memory-allreduce', 'the same with symmetric memory', runSymmetricAllReduce),
  sized('12-symmetric-memory-allgather', "an all-gather of each rank's data", runSymmetricAllGather),
  // NCCL's example has 256 Mi elements.
  sized('13-point-to-point', 'a ring of sends and receives', runPointToPoint),
];

function sized(
  name: string,
  title: string,
  run: (options: ExampleOptions & { readonly count: number }) => Promise<boolean>,
): Example {
  return {
    name,
    title,
    needs: ['single domain'],
    full: async (options) => run({ ...options, count: 1 << 20 }),
    small: async (options) => run({ ...options, count: 5 }),
  };
}
