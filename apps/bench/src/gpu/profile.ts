import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cuda, probe } from '@nccl-ts/backend-cuda';
import { MACHINE_PROFILE } from '@nccl-ts/cost-model';
import { World } from '@nccl-ts/communicator';
import { gpuAmounts, microBenchmarks, profileParameters, type MicroResult } from '@nccl-ts/machine-profile';
import { provenance } from '../provenance.ts';
import { option } from '../option.ts';
import { errorFinding, finish, phase, report } from './phases.ts';

/*
 * Measures the profile of a machine with two GPUs or more, from which timelines are predicted:
 *
 *     bash .gpu/run.sh profile --name h200-nvlink4
 *
 * It runs no collective. Arguments: --name NAME, --rounds 7, --gpus 2. With more GPUs it also
 * measures launches that wait for more ranks. The profile and its micro-benchmarks go to
 * $OUT/NAME.json.
 */

const name = option('--name', 'machine');
const gpus = Number(option('--gpus', '2'));
const probed = await probe();
const micro: MicroResult[] = [];
const open = async (ranks: number): Promise<World> =>
  World.open({ backend: cuda({ devices: Array.from({ length: ranks }, (_, gpu) => gpu) }) });
await phase('micro-benchmarks', async () => {
  await microBenchmarks(open, gpus, {
    ...gpuAmounts,
    rounds: Number(option('--rounds', '7')),
    report: (result) => {
      micro.push(result);
      const { rounds: _, ...shown } = result;
      report(shown);
    },
    failed: (failedName, error) => report({ failed: failedName, ...errorFinding(error) }),
  });
});
// Each micro-benchmark is useful, even if another one failed.
await phase('profile', () => {
  const file = join(process.env['OUT'] ?? '.', `${name}.json`);
  let parameters: object = {};
  try {
    parameters = profileParameters(micro);
  } finally {
    const gpu = probed.gpus[0]?.name ?? 'unknown';
    const head = { ...MACHINE_PROFILE, name, gpu, how: 'measured', ...provenance() };
    writeFileSync(file, JSON.stringify({ ...head, parameters, machine: probed, micro }, undefined, 1));
  }
});
finish();
