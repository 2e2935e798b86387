import { check, explore, type CheckOptions } from '@nccl-ts/checker';
import { sim, type SimBackend } from '@nccl-ts/backend-sim';
import { getLsaDevicePointer, getLsaMultimemDevicePointer, World, type DevicePointer } from '@nccl-ts/communicator';
import type { Finding } from '@nccl-ts/findings';
import { moduleKernel, u64 } from '@nccl-ts/kernel';
import { ThreadProgram } from './thread-program.ts';

export interface ProgramRun {
  readonly block?: number;
  readonly grid?: number;
  readonly ranks?: number;
  readonly engine?: 'js' | 'wasm';
  /** The initial data of each rank. */
  readonly data?: (rank: number) => readonly number[];
  /** True if the symbol `data` is the multicast address of the data. */
  readonly multicast?: boolean;
}

export interface ProgramResults {
  /** The results, by slot and then by thread. */
  readonly out: readonly (readonly number[])[];
  readonly data: readonly number[];
}

const SLOTS = 8;
const WORDS = 64;

function addressOf(pointer: DevicePointer | null): bigint {
  if (pointer === null) throw new Error('no address');
  return BigInt(pointer.address);
}

/** Runs a program on each rank, and returns the final memory of rank 0. */
export async function runProgram(build: (p: ThreadProgram) => void, options: ProgramRun = {}): Promise<ProgramResults> {
  const { ranks = 1, engine = 'js' } = options;
  const [first] = await launch(build, sim({ ranks, engine }), options);
  if (first === undefined) throw new Error('nothing ran');
  return first;
}

/** Checks a program, and returns the checker's report. */
export async function checkProgram(
  build: (p: ThreadProgram) => void,
  options: ProgramRun & Pick<CheckOptions, 'strategy'> = {},
): Promise<readonly Finding[]> {
  const { strategy, ranks = 1, ...rest } = options;
  const how = strategy === undefined ? {} : { strategy };
  const report = await check({ ranks, ...how }, async (backend) => {
    await launch(build, backend, rest);
  });
  return report.findings;
}

/** Explores some executions of a program by the memory model, and returns the findings of all. */
export async function exploreProgram(
  build: (p: ThreadProgram) => void,
  runs = 1,
  options: Pick<ProgramRun, 'block'> = {},
): Promise<readonly Finding[]> {
  const run = async (backend: SimBackend): Promise<void> => {
    await launch(build, backend, options);
  };
  const { report } = await explore({ ranks: 1, mode: 'check' }, run, { runs });
  if (report === undefined) throw new Error('no report');
  return report.findings;
}

async function launch(
  build: (p: ThreadProgram) => void,
  backend: SimBackend,
  { block = 64, grid = 1, data: initial, multicast = false }: ProgramRun,
): Promise<readonly ProgramResults[]> {
  const first = new ThreadProgram();
  build(first);
  const program = new ThreadProgram(first.instructions);
  build(program);
  const module = program.module();
  const kernel = moduleKernel({ name: 'program', params: { out: u64, data: u64 } }, () => module);
  await using world = await World.open({ backend });
  return await world.run(async (comm) => {
    const data = await comm.allocWindow('u32', WORDS);
    if (initial !== undefined) {
      await data.write(Uint32Array.from({ length: WORDS }, (_, i) => initial(comm.rank)[i] ?? 0));
    }
    if (multicast) await comm.createDevComm({ lsaMultimem: true });
    // Making a window waits for all ranks, so all of them have written before.
    const out = await comm.allocWindow('u32', SLOTS * block * grid);
    const address = multicast ? getLsaMultimemDevicePointer(data, 0) : getLsaDevicePointer(data, 0, comm.rank);
    await comm.launch(
      kernel,
      { grid, block },
      { out: addressOf(getLsaDevicePointer(out, 0, comm.rank)), data: addressOf(address) },
    );
    await comm.synchronize();
    await comm.allocWindow('u32', 1);
    const words = [...(await out.read())];
    return {
      out: Array.from({ length: SLOTS }, (_, slot) => words.slice(slot * block, (slot + 1) * block)),
      data: [...(await data.read())],
    };
  });
}
