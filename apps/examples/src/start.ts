import { backendFrom } from './backend.ts';
import { runAllReduce } from './01-allreduce-lsa/run.ts';
import { runDigits } from './02-digits/run.ts';

/** Runs the examples one after the other; the exit code says whether all came out right. */
async function start(args: readonly string[]): Promise<void> {
  const backend = backendFrom(args);
  const print = (line: string): void => console.log(line);

  print('--- 01-allreduce-lsa: NCCL\'s AllReduce over load/store accessible memory');
  const reduced = await runAllReduce({ backend: backend(4), ranks: 4, count: 1 << 20, print });

  print('\n--- 02-digits: data-parallel training with an AllReduce kernel');
  const learnt = await runDigits({ backend, ranks: [1, 2, 4, 8], epochs: 3, training: 200, test: 50, print });

  if (!reduced || !learnt) process.exitCode = 1;
}

await start(process.argv.slice(2));
