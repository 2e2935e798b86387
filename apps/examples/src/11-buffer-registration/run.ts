import { allReduce } from '@nccl-ts/collectives';
import { World, type Communicator, type DeviceMemory, type Window } from '@nccl-ts/communicator';
import { RedOp } from '@nccl-ts/core';
import { f32 } from '@nccl-ts/kernel';
import { own, type ExampleOptions } from '../example.ts';
import { megabytes, ownNumber, printRanks, printResults, sumOfRanks } from '../host-steps.ts';

export interface BufferRegistrationOptions extends ExampleOptions {
  /** The number of floats on each rank. */
  readonly count: number;
}

/** A buffer of the program, and its window for collectives. */
interface Registered {
  readonly memory: DeviceMemory;
  readonly window: Window<'f32'>;
}

/**
 * Runs NCCL's example `04_user_buffer_registration/01_allreduce`, which separates memory from its
 * registration. The program allocates and initialises buffers, and then registers them. At the end
 * it deregisters them, and still has its buffers. Here collectives accept only registered buffers,
 * and registering always makes a window. Prints the output of NCCL's example.
 *
 * @returns true if every element on every rank is the sum, even after the buffers were
 * deregistered.
 */
export async function runBufferRegistration(options: BufferRegistrationOptions): Promise<boolean> {
  const { backend, count, print } = options;
  const world = await World.open({ backend });
  await using _ = world;
  const { nRanks } = world;
  print(`Starting AllReduce example with ${nRanks} ranks`);
  printRanks(nRanks, print, (rank) => `Rank ${rank} communicator initialized using device ${rank}`);

  print('User Buffer allocation:');
  const size = megabytes(count).toFixed(2);
  printRanks(nRanks, print, (rank) => `Rank ${rank} allocating ${size} MB per buffer`);
  const buffers = await world.run(async (comm) => {
    const send = await comm.memAlloc(count * 4);
    const recv = await comm.memAlloc(count * 4);
    await send.write(ownNumber(comm, count));
    return { send: await registered(comm, send), recv: await registered(comm, recv) };
  });
  printRanks(nRanks, print, (rank) => `Rank ${rank} data initialized (value: ${rank})`);

  print(`Starting AllReduce with ${count} elements (${Math.floor(megabytes(count))} MB)`);
  await world.run(async (comm) => {
    const { send, recv } = own(buffers, comm);
    await allReduce(comm, send.window, recv.window, count, RedOp.Sum);
  });
  print('AllReduce completed successfully');
  const results = await world.run(async (comm) => own(buffers, comm).recv.window.read());
  const right = printResults(results, sumOfRanks(nRanks), print);

  // The buffers belong to the program and keep their contents.
  const kept = await world.run(async (comm) => {
    const { send, recv } = own(buffers, comm);
    for (const { window } of [send, recv]) await window.deregister();
    const bytes = await recv.memory.read(new Float32Array(1));
    for (const { memory } of [send, recv]) await comm.memFree(memory);
    return bytes[0] === sumOfRanks(nRanks);
  });
  printRanks(nRanks, print, (rank) => `Rank ${rank} buffers deregistered`);
  await world.close();
  print('All resources cleaned up successfully');
  return right && kept.every(Boolean);
}

async function registered(comm: Communicator, memory: DeviceMemory): Promise<Registered> {
  const window = await comm.registerWindow(memory, { type: f32 });
  // Without symmetric memory, `ncclCommWindowRegister` returns no window.
  if (window === null) throw new RangeError('The backend has no symmetric memory.');
  return { memory, window };
}
