import { machines } from '@nccl-ts/cost-model';
import { predict } from '@nccl-ts/prediction';
import { World } from '@nccl-ts/communicator';
import type { PredictResult } from '../protocol.ts';
import { loadProgram, noHost } from './load-program.ts';
import { captureLog } from './program-console.ts';

/** Predicts the time of a program's launches on H100 GPUs, as `nccl-ts predict FILE` does. */
export async function predictProgram(text: string, ranks: number, bounds: boolean): Promise<PredictResult> {
  const restore = captureLog([]);
  try {
    return await predict({ ranks, machine: machines['h100-nvlink4'], bounds }, async (backend) => {
      const { host } = await loadProgram(text);
      if (host === undefined) {
        throw noHost('predict the program');
      }
      const world = await World.open({ backend });
      try {
        await world.run(async (comm) => host(comm));
      } finally {
        await world.close();
      }
    });
  } finally {
    restore();
  }
}
