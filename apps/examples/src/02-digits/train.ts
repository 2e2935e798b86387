import { World, type Communicator } from '@nccl-ts/communicator';
import { f32 } from '@nccl-ts/kernel';
import type { Backend } from '@nccl-ts/transport';
import type { DigitSets } from './digits.ts';
import { accuracy, initialise, learn, networkIn, PARAMETERS } from './network.ts';
import { sumGradients } from './sum-gradients-kernel.ts';

const CTAS = 4;
const THREADS_PER_CTA = 256;

export interface TrainOptions {
  readonly backend: Backend;
  readonly digits: DigitSets;
  readonly epochs: number;
  /** The number of digits of all ranks together in a step. */
  readonly batch: number;
  readonly learningRate: number;
  /** Called after each epoch, once for all ranks. */
  readonly onEpoch: (epoch: Epoch) => void;
}

/** The results of one epoch. */
export interface Epoch {
  /** The mean loss of the training digits during the epoch. */
  readonly loss: number;
  /** The fraction of test digits that the network recognises after the epoch. */
  readonly accuracy: number;
}

/**
 * Trains one network on all ranks of a backend. Each rank computes the gradients of its share of a
 * batch, a kernel sums them over the ranks, and every rank takes the same step. So all ranks always
 * have the same network.
 */
export async function train(options: TrainOptions): Promise<void> {
  await using world = await World.open({ backend: options.backend });
  await world.run(async (comm) => trainRank(comm, options));
}

async function trainRank(comm: Communicator, options: TrainOptions): Promise<void> {
  const { digits, epochs, batch, learningRate, onEpoch } = options;
  // One more element contains the loss, so that it is summed with the gradients.
  const count = PARAMETERS + 1;
  const win = await comm.allocWindow(f32, count);
  const devComm = await comm.createDevComm({ lsaBarrierCount: CTAS });

  const parameters = new Float32Array(count);
  const gradients = new Float32Array(count);
  const network = networkIn(parameters);
  const gradientsOf = networkIn(gradients);
  initialise(network);

  for (let epoch = 0; epoch < epochs; epoch++) {
    let totalLoss = 0;
    for (let start = 0; start < digits.training.length; start += batch) {
      gradients.fill(0);
      const all = digits.training.slice(start, start + batch);
      const share = all.filter((_, i) => i % comm.nRanks === comm.rank);
      for (const digit of share) gradients[PARAMETERS]! += learn(network, digit, gradientsOf);

      await win.write(gradients);
      await comm.launch(sumGradients, { grid: CTAS, block: THREADS_PER_CTA }, { comm: devComm, win, count });
      const sums = await win.read();

      totalLoss += sums[PARAMETERS] ?? 0;
      for (let i = 0; i < PARAMETERS; i++) parameters[i]! -= (learningRate / all.length) * sums[i]!;
    }
    if (comm.rank === 0) {
      onEpoch({ loss: totalLoss / digits.training.length, accuracy: accuracy(network, digits.test) });
    }
  }
}
