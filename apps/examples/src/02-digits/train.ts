import { World, type Communicator } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import type { Backend } from '@nccl-ts/transport';
import { sumGradients } from './sum-gradients-kernel.ts';
import type { DigitSets } from './digits.ts';
import { accuracy, addGradients, initialWeights, PARAMETERS } from './network.ts';

const CTAS = 4;
const THREADS_PER_CTA = 256;

export interface TrainOptions {
  readonly backend: Backend;
  readonly digits: DigitSets;
  readonly epochs: number;
  /** Images of all ranks together; divisible by the number of ranks. */
  readonly batch: number;
  readonly learningRate: number;
}

/** What one epoch came to, over all ranks. */
export interface Epoch {
  /** Mean loss of the training images. */
  readonly loss: number;
  /** Share of the test images that are right after the epoch. */
  readonly accuracy: number;
}

/**
 * Trains one network on all ranks of a backend: each rank computes the gradients of its share of a batch, a kernel sums
 * them over the ranks, and every rank takes the same step. All ranks hold the same weights throughout.
 */
export async function train(options: TrainOptions): Promise<readonly Epoch[]> {
  await using world = await World.open({ backend: options.backend });
  const histories = await world.run(async (comm) => trainRank(comm, options));
  return histories[0] ?? [];
}

async function trainRank(comm: Communicator, options: TrainOptions): Promise<readonly Epoch[]> {
  const { digits, epochs, batch, learningRate } = options;
  // One more element carries the loss, so that it is summed with the gradients.
  const count = PARAMETERS + 1;
  const win = await comm.allocWindow(f32, count);
  if (win === null) throw new Error('symmetric memory is not supported here');
  const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });
  const weights = initialWeights();
  const history: Epoch[] = [];

  for (let epoch = 0; epoch < epochs; epoch++) {
    let lossSum = 0;
    for (let start = 0; start + batch <= digits.training.count; start += batch) {
      const gradients = new Float64Array(count);
      const share = { first: start + comm.rank, end: start + batch, step: comm.nRanks };
      gradients[PARAMETERS] = addGradients(weights, digits.training, share, gradients);

      await win.write(Float32Array.from(gradients));
      await comm.launch(sumGradients, { grid: CTAS, block: THREADS_PER_CTA }, { comm: devComm, win, count });
      const summed = await win.read();

      lossSum += Number(summed[PARAMETERS]);
      for (let i = 0; i < PARAMETERS; i++) {
        weights[i] = (weights[i] ?? 0) - (learningRate * Number(summed[i])) / batch;
      }
    }
    const seen = Math.floor(digits.training.count / batch) * batch;
    history.push({ loss: lossSum / seen, accuracy: accuracy(weights, digits.test) });
  }
  return history;
}
