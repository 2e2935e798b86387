import { randomProgram } from '../oracle/random-program.ts';
import { differenceOf } from './compare-program.ts';

// Compares the graph engine with the oracle on many random programs: `pnpm campaign [how many]
// [first seed]`.
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const [count = 100_000, first = 0] = process.argv.slice(2).map(Number);
const began = Date.now();
const seconds = (): string => `${Math.round((Date.now() - began) / 1000)} s`;
const different: number[] = [];
print(`seeds ${first} to ${first + count - 1}`);
for (let seed = first; seed < first + count; seed++) {
  const difference = differenceOf(randomProgram(seed));
  if (difference !== undefined) {
    different.push(seed);
    print(`seed ${seed}: ${difference}\n`);
  }
  if ((seed + 1 - first) % 5000 === 0) print(`${seed + 1 - first} programs, ${different.length} differ, ${seconds()}`);
}
print(`${count} programs from seed ${first}: ${different.length} differ (${different.join(', ')}), ${seconds()}`);
process.exitCode = different.length === 0 ? 0 : 1;
