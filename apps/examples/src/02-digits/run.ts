import type { Backend } from '@nccl-ts/transport';
import { loadDigits } from './digits.ts';
import { train, type Epoch } from './train.ts';

export interface DigitsOptions {
  readonly backend: (ranks: number) => Backend;
  /** The numbers of ranks with which to train, one after the other. */
  readonly ranks: readonly number[];
  readonly epochs: number;
  /** The number of training digits of each class. */
  readonly training: number;
  /** The number of test digits of each class. */
  readonly test: number;
  readonly print: (line: string) => void;
}

/**
 * Data-parallel training. The same network learns the same digits on different numbers of ranks.
 * Prints loss and accuracy after each epoch.
 *
 * @returns true if all of them learned the same, except for rounding differences from the order of
 * sums.
 */
export async function runDigits({ backend, ranks, epochs, training, test, print }: DigitsOptions): Promise<boolean> {
  const digits = loadDigits({ training, test });
  print(`Learning from ${digits.training.length} handwritten digits, tested with ${digits.test.length} others`);
  const histories: (readonly Epoch[])[] = [];
  for (const nRanks of ranks) {
    const history: Epoch[] = [];
    const onEpoch = (epoch: Epoch): void => {
      history.push(epoch);
      print(epochLine(nRanks, history.length, epoch));
    };
    await train({ backend: backend(nRanks), digits, epochs, batch: 40, learningRate: 0.1, onEpoch });
    histories.push(history);
  }
  const [first = []] = histories;
  const agree = histories.every((history) => agrees(history, first));
  print(
    agree
      ? `All agree: the network learns the same on ${ranks.join(', ')} ranks`
      : 'Runs with different numbers of ranks disagree',
  );
  return agree;
}

function epochLine(nRanks: number, epoch: number, { loss, accuracy }: Epoch): string {
  const who = `${nRanks} rank${nRanks === 1 ? ' ' : 's'}`;
  return `  ${who}  epoch ${epoch}  loss ${loss.toFixed(4)}  accuracy ${(accuracy * 100).toFixed(1)} %`;
}

function agrees(history: readonly Epoch[], other: readonly Epoch[]): boolean {
  return history.every(({ loss, accuracy }, i) => {
    const expected = other[i];
    if (expected === undefined) return false;
    return Math.abs(loss - expected.loss) <= 1e-3 * expected.loss && Math.abs(accuracy - expected.accuracy) <= 0.01;
  });
}
