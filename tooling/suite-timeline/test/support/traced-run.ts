import { sim, type SimOptions } from '@nccl-ts/backend-sim';
import { World, type Communicator } from '@nccl-ts/communicator';
import type { Timeline } from '@nccl-ts/core';
import { createTimelineRecorder } from '@nccl-ts/timeline';

/**
 * Runs a program on every rank of a traced world; returns the timeline, and the results or errors
 * of the ranks.
 */
export async function tracedRun<T>(
  options: SimOptions,
  program: (comm: Communicator) => Promise<T>,
): Promise<{ readonly timeline: Timeline; readonly results: readonly T[]; readonly error: unknown }> {
  const backend = sim({ trace: true, ...options });
  const world = await World.open({ backend });
  let results: readonly T[] = [];
  let error: unknown;
  try {
    results = await world.run(program);
  } catch (thrown) {
    error = thrown;
  }
  const timeline = backend.timeline(createTimelineRecorder());
  await world.close();
  return { timeline, results, error };
}
