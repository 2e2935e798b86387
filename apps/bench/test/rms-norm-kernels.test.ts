import { sim } from '@nccl-ts/backend-sim';
import { rowExchangeRequirement } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { expect, test } from 'vitest';
import { fusedRMSNorm, residualRMSNorm } from '../src/kernels/rms-norm-kernels.ts';

const [rows, hidden, threads] = [5, 1000, 64];

function numbers(seed: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => (((i * 37 + seed * 61) % 199) - 99) / 64);
}

const kernels = [
  { ranks: 1, known: 0 },
  { ranks: 2, known: 2 },
  { ranks: 4, known: 4 },
].map((each) => ({ ...each, fused: fusedRMSNorm(2, each.known, true) }));

test.each(kernels)(
  'a program’s own fused kernel for $ranks ranks equals a sum that another kernel normalises, and is clean',
  { timeout: 60_000 },
  async ({ ranks, fused }) => {
    const backend = sim({ ranks, mode: 'check', seed: 1 });
    {
      await using world = await World.open({ backend });
      await world.run(async (comm) => {
        const window = async (count: number) => comm.allocWindow('bf16', count);
        const count = rows * hidden;
        const [send, sum, residual, weight] = [
          await window(count),
          await window(count),
          await window(count),
          await window(hidden),
        ];
        const [out, residualOut, wanted, wantedSums] = [
          await window(count),
          await window(count),
          await window(count),
          await window(count),
        ];
        const parts = Array.from({ length: ranks }, (_, rank) => numbers(rank, count));
        // Small integers of 64ths: bf16 holds the sums exactly.
        await send.write(numbers(comm.rank, count).map((value) => Math.round(value)));
        await sum.write(
          Float32Array.from({ length: count }, (_, i) =>
            parts.reduce((total, part) => total + Math.round(part[i] ?? Number.NaN), 0),
          ),
        );
        await residual.write(numbers(9, count));
        await weight.write(numbers(10, hidden));
        const turnWords = 2 * 2 * threads;
        const devComm = await comm.createDevComm({
          resourceRequirementsList: [rowExchangeRequirement({ ctas: 2, turnWords }, comm.lsaSize)],
        });
        const words = devComm.plan.resources[0]?.bufHandle ?? Number.NaN;
        const common = { residual: residual.symPtr(), weight: weight.symPtr(), rows, hidden };
        for (let round = 0; round < 2; round++) {
          await comm.launch(
            fused,
            { grid: 2, block: threads },
            {
              ...common,
              comm: devComm,
              exchange: { words, turnWords },
              send: send.symPtr(),
              out: out.symPtr(),
              residualOut: residualOut.symPtr(),
            },
          );
        }
        await comm.launch(
          residualRMSNorm(2),
          { grid: rows, block: threads },
          { ...common, send: sum.symPtr(), out: wanted.symPtr(), residualOut: wantedSums.symPtr() },
        );
        expect(await residualOut.read()).toEqual(await wantedSums.read());
        expect(await out.read()).toEqual(await wanted.read());
      });
    }
    expect(backend.report().findings.map(({ message }) => message)).toEqual([]);
  },
);
