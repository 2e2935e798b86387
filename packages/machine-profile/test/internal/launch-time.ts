import { predict } from '@nccl-ts/prediction';
import type { SimTraceOptions } from '@nccl-ts/cost-model';
import { World, type Communicator, type DevComm, type Window } from '@nccl-ts/communicator';

const WORDS = 1 << 16;

/** The arguments that kernels of micro-benchmarks have in common. */
export interface MicroHandles {
  readonly win: Window<'u32'>;
  readonly comm: DevComm;
  readonly words: number;
}

/** The nanoseconds of a launch on two ranks of a machine, in simulated time. */
export async function launchTime(
  machine: SimTraceOptions,
  launch: (comm: Communicator, handles: MicroHandles) => Promise<void>,
): Promise<number> {
  const { nanoseconds } = await predict({ ranks: 2, machine, bounds: false }, async (backend, measure) => {
    await using world = await World.open({ backend });
    const made = await world.run(async (comm) => ({
      win: await comm.allocWindow('u32', WORDS),
      comm: await comm.createDevComm({}),
      words: WORDS,
    }));
    await measure(async () =>
      world.run(async (comm) => {
        const handles = made[comm.rank];
        if (handles === undefined) throw new RangeError('A rank has no window.');
        await launch(comm, handles);
        await comm.synchronize();
      }),
    );
  });
  return nanoseconds;
}
