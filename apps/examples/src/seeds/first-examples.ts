import { sim } from '@nccl-ts/backend-sim';
import { runAllReduce } from '../01-allreduce-lsa/run.ts';
import { CLASSES, PIXELS } from '../02-digits/digits.ts';
import { train, type Epoch } from '../02-digits/train.ts';
import type { Example, ExampleOptions } from '../example.ts';
import { randomNumbers } from '../random.ts';

/** The first two examples, which `npm start` runs separately. */
export const firstExamples: readonly Example[] = [
  {
    name: '01-allreduce-lsa',
    title: "NCCL's AllReduce over load/store accessible memory",
    needs: ['single domain'],
    full: async (options) => runAllReduce({ ...options, count: 1 << 20 }),
    small: async (options) => runAllReduce({ ...options, count: 1030 }),
  },
  {
    name: '02-digits',
    title: 'data-parallel training with an AllReduce kernel',
    needs: ['single domain'],
    full: async (options) => learn(options, 400),
    small: async (options) => learn(options, 4),
  },
];

/** Learns handwritten digits from a package. */
async function learn({ backend, print }: ExampleOptions, batch: number): Promise<boolean> {
  const alone = await lossAlone(batch);
  const together = await lossOf(backend, batch);
  print(`  loss ${together}; of one rank ${alone}`);
  return Math.abs(together - alone) <= 1e-3 * alone;
}

const alone = new Map<number, Promise<number>>();

/** The result of one rank alone, computed once. */
async function lossAlone(batch: number): Promise<number> {
  const known = alone.get(batch) ?? lossOf(sim({ ranks: 1 }), batch);
  alone.set(batch, known);
  return known;
}

/** The mean loss over three batches. Each follows the training steps on the previous ones. */
async function lossOf(backend: ExampleOptions['backend'], batch: number): Promise<number> {
  const next = randomNumbers(batch);
  const training = Array.from({ length: 3 * batch }, (_, i) => ({
    pixels: Float32Array.from({ length: PIXELS }, next),
    label: i % CLASSES,
  }));
  const losses: number[] = [];
  const onEpoch = ({ loss }: Epoch): void => void losses.push(loss);
  const digits = { training, test: training.slice(0, 1) };
  await train({ backend, digits, epochs: 1, batch, learningRate: 0.1, onEpoch });
  return losses[0] ?? Number.NaN;
}
