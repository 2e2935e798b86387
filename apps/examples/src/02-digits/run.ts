import type { Backend } from '@nccl-ts/transport';
import { loadDigits } from './digits.ts';
import { train, type Epoch } from './train.ts';

/** Losses may differ by this much, relatively, since the sums over ranks are rounded in another order. */
const TOLERANCE = 1e-3;

export interface DigitsOptions {
  readonly backend: (ranks: number) => Backend;
  readonly ranks: readonly number[];
  readonly epochs: number;
  /** Images of each class. */
  readonly training: number;
  readonly test: number;
  readonly print: (line: string) => void;
}

/**
 * Trains the same network on the same digits with different numbers of ranks and prints loss and accuracy per epoch.
 *
 * @returns whether all of them agree within float tolerance.
 */
export async function runDigits({ backend, ranks, epochs, training, test, print }: DigitsOptions): Promise<boolean> {
  const digits = loadDigits({ training, test });
  print(`Training on ${digits.training.count} handwritten digits, testing on ${digits.test.count} others`);
  const histories: (readonly Epoch[])[] = [];
  for (const nRanks of ranks) {
    const history = await train({ backend: backend(nRanks), digits, epochs, batch: 40, learningRate: 0.1 });
    histories.push(history);
    for (const [epoch, { loss, accuracy }] of history.entries()) {
      const percent = (accuracy * 100).toFixed(1);
      print(`  ${nRanks} rank${nRanks === 1 ? ' ' : 's'}  epoch ${epoch + 1}  loss ${loss.toFixed(4)}  accuracy ${percent} %`);
    }
  }
  const agree = histories.every((history) => sameHistory(history, histories[0] ?? []));
  print(agree ? `All agree: ${ranks.join(', ')} ranks learn the same` : 'The numbers of ranks disagree');
  return agree;
}

function sameHistory(a: readonly Epoch[], b: readonly Epoch[]): boolean {
  return a.every((epoch, i) => {
    const other = b[i];
    if (other === undefined) return false;
    return Math.abs(epoch.loss - other.loss) <= TOLERANCE * other.loss && Math.abs(epoch.accuracy - other.accuracy) <= 0.01;
  });
}
