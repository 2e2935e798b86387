import { World } from '@nccl-ts/communicator';
import type { ExampleOptions } from '../example.ts';
import { printRanks } from '../host-steps.ts';

const line = '='.repeat(61);

/**
 * Runs NCCL's example `01_communicators/01_multiple_devices_single_process`. One process creates
 * the communicators of all ranks together, inspects them, and destroys them. Prints the output of
 * NCCL's example, except for the names and sizes of CUDA devices, which not every backend has.
 *
 * @returns true if every communicator has the expected rank and size.
 */
export async function runSingleProcess({ backend, print }: ExampleOptions): Promise<boolean> {
  const world = await World.open({ backend });
  const { nRanks, localRanks } = world;
  print('Using World.open() to create all communicators simultaneously');
  print(`All ${nRanks} NCCL communicators initialized successfully`);
  print('');

  const communicators = localRanks.map((rank) => world.comm(rank));
  print('Communicator Details:');
  for (const [index, { rank, nRanks: size }] of communicators.entries()) {
    print(`  Communicator ${index}: Rank ${rank}/${size} on device ${rank}`);
  }
  const right = communicators.every(({ rank, nRanks: size }, index) => rank === index && size === nRanks);
  print(
    right ? `All communicators have the expected size of ${nRanks}` : 'WARNING: ranks or sizes are not as expected',
  );
  print('');

  print('Synchronizing all streams...');
  await Promise.all(communicators.map(async (comm) => comm.synchronize()));
  print('All streams synchronized');
  // Streams belong to their communicator and are destroyed with it.
  print('Destroying NCCL communicators and their streams...');
  await world.close();
  const closed = communicators.every((comm) => !comm.isOpen);
  if (closed) print('All NCCL communicators and streams destroyed');
  print('');
  print(line);
  print(right && closed ? 'SUCCESS: Multiple devices single process example completed!' : 'FAILURE: see above');
  print(line);
  return right && closed;
}

/**
 * Runs NCCL's example `01_communicators/02_one_device_per_pthread`. Each rank works by itself,
 * concurrently with the others. An asynchronous function replaces the thread of C. Prints the
 * output of NCCL's example, step by step.
 *
 * @returns true if every communicator has the expected rank and size.
 */
export async function runOnePerTask({ backend, print }: ExampleOptions): Promise<boolean> {
  await using world = await World.open({ backend });
  const { nRanks } = world;
  print(`Using ${nRanks} devices with tasks`);
  print(`Creating ${nRanks} tasks for NCCL communicators`);
  const steps = await world.run(async (comm) => {
    const said: string[] = [];
    const stream = await comm.createStream();
    said.push(`Task ${comm.rank}: Set device ${comm.rank} and created stream`);
    said.push(`Task ${comm.rank}: NCCL communicator initialized`);
    said.push(`Task ${comm.rank}: Communicator rank ${comm.rank} of ${comm.nRanks}`);
    await stream.synchronize();
    // All ranks synchronize here, so that none leaves while another may still need it.
    await comm.finalize();
    await comm.close();
    said.push(`Task ${comm.rank}: ${comm.isOpen ? 'Could not destroy' : 'Destroyed'} NCCL communicator`);
    said.push(`Task ${comm.rank}: ${stream.isOpen ? 'Resources left' : 'Resources cleaned up'}`);
    return { said, right: comm.nRanks === nRanks && !comm.isOpen && !stream.isOpen };
  });
  const printStep = (step: number): void => printRanks(nRanks, print, (rank) => steps[rank]?.said[step] ?? '');
  printStep(0);
  printStep(1);
  print('All tasks synchronized - communicators ready');
  for (const step of [2, 3, 4]) printStep(step);
  print('All tasks completed');
  const right = steps.length === nRanks && steps.every((step) => step.right);
  print(right ? 'Success' : 'Failure');
  return right;
}
