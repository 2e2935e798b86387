import { allReduceRMSNorm } from '@nccl-ts/collectives';
import type { Communicator, World } from '@nccl-ts/communicator';
import type { NormCase } from './norm-case.ts';
import { EPSILON, normProblems, numbers, type NormResult } from './norm-reference.ts';

/** The number of consecutive calls of a case. They reuse the memory for words. */
const CALLS = 2;

/** Runs a case on a world of its shape. Returns the problem, or `undefined`. */
export async function runNormCase(world: World, one: NormCase): Promise<string | undefined> {
  const results = await world.run(async (comm) => resultOf(comm, one));
  const [first] = results;
  for (const [rank, result] of results.entries()) {
    const [problem] = normProblems(one, result);
    if (problem !== undefined) return `rank ${rank}: ${problem}`;
    if (first?.out.some((value, i) => !Object.is(value, result.out[i]))) return `rank ${rank} differs from rank 0`;
  }
  return undefined;
}

async function resultOf(comm: Communicator, one: NormCase): Promise<NormResult> {
  const { element, output, rows, hidden, residual, weight, quantize } = one;
  const count = rows * hidden;
  const send = await comm.allocWindow(element, count);
  const out = await comm.allocWindow(output, count);
  const extra = await comm.allocWindow(element, count);
  const sums = await comm.allocWindow(element, count);
  const factors = await comm.allocWindow(element, hidden);
  const scales = await comm.allocWindow('f32', rows);
  await send.write(numbers(comm.rank, count));
  await extra.write(numbers(100, count));
  await factors.write(numbers(101, hidden));
  for (let call = 0; call < CALLS; call++) {
    await allReduceRMSNorm(comm, {
      send,
      out,
      rows,
      hidden,
      epsilon: EPSILON,
      ...(residual && { residual: extra, residualOut: sums }),
      ...(weight && { weight: factors }),
      ...(quantize === 'row' && { quantize: { scales } }),
      ...(typeof quantize === 'number' && { quantize: { scale: quantize } }),
    });
  }
  return {
    out: Array.from(await out.read(), Number),
    sums: Array.from(await sums.read(), Number),
    scales: [...(await scales.read())],
  };
}
