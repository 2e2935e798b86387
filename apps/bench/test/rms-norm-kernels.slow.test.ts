import { sim } from '@nccl-ts/backend-sim';
import { rowExchangeRequirement } from '@nccl-ts/collectives';
import { World } from '@nccl-ts/communicator';
import { expect, test } from 'vitest';
import { fusedRMSNorm, residualRMSNorm } from '../src/kernels/rms-norm-kernels.ts';

const [rows, hidden] = [5, 1000];

function numbers(seed: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, i) => (((i * 37 + seed * 61) % 199) - 99) / 64);
}

const kernels = [
  { ranks: 1, known: 0, parts: 1, words: 2, threads: 64, rowsAtOnce: 0 },
  { ranks: 2, known: 2, parts: 1, words: 2, threads: 64, rowsAtOnce: 0 },
  { ranks: 2, known: 2, parts: 2, words: 1, threads: 64, rowsAtOnce: 1 },
  { ranks: 2, known: 2, parts: 4, words: 1, threads: 32, rowsAtOnce: 2 },
  { ranks: 3, known: 0, parts: 2, words: 2, threads: 32, rowsAtOnce: 0 },
  // There is room for more rows than places for their sums.
  { ranks: 2, known: 2, parts: 4, words: 1, threads: 32, rowsAtOnce: 0, room: 6 },
  { ranks: 4, known: 4, parts: 1, words: 2, threads: 64, rowsAtOnce: 1 },
].map((each) => ({ ...each, fused: fusedRMSNorm({ ...each, ranks: each.known, shuffles: true }) }));

test.each(kernels)(
  'a program’s own fused kernel for $ranks ranks and $parts CTAs a row equals a sum that another kernel normalises, and is clean',
  { timeout: 60_000 },
  async ({ ranks, parts: shared, threads, words: each, fused, room = 2 }) => {
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
        const turnWords = room * each * threads;
        const ctas = 2 * shared;
        const devComm = await comm.createDevComm({
          resourceRequirementsList: [rowExchangeRequirement({ ctas, turnWords }, comm.lsaSize)],
        });
        const words = devComm.plan.resources[0]?.bufHandle ?? Number.NaN;
        const common = { residual: residual.symPtr(), weight: weight.symPtr(), rows, hidden };
        for (let round = 0; round < 2; round++) {
          await comm.launch(
            fused,
            { grid: ctas, block: threads },
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
          { grid: rows, block: 64 },
          { ...common, send: sum.symPtr(), out: wanted.symPtr(), residualOut: wantedSums.symPtr() },
        );
        expect(await residualOut.read()).toEqual(await wantedSums.read());
        expect(await out.read()).toEqual(await wanted.read());
      });
    }
    expect(backend.report().findings.map(({ message }) => message)).toEqual([]);
  },
);
