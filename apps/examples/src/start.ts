import { parseArgs } from 'node:util';
import { isNcclError } from '@nccl-ts/core';
import { runAllReduce } from './01-allreduce-lsa/run.ts';
import { runDigits } from './02-digits/run.ts';
import { backendFactory, backendNames, isBackendName, type BackendName } from './backend.ts';

const usage = `Usage: npm start -- [--backend NAME]

Runs the examples one after the other.

  --backend NAME   what runs the kernels: ${backendNames.join(', ')} (default: sim)`;

/** The backend that the command line names; `undefined` where it asks for help. */
function chosenBackend(args: readonly string[]): BackendName | undefined {
  const options = { backend: { type: 'string', default: 'sim' }, help: { type: 'boolean', short: 'h' } } as const;
  const { values } = parseArgs({ args: [...args], options });
  if (values.help === true) return undefined;
  if (isBackendName(values.backend)) return values.backend;
  throw new Error(`--backend ${values.backend}: there is no such backend`);
}

/** Runs all examples, and answers whether all came out right. */
async function runExamples(name: BackendName): Promise<boolean> {
  const backend = backendFactory(name);
  const print = (line: string): void => console.log(line);

  print("01-allreduce-lsa: NCCL's AllReduce over load/store accessible memory\n");
  const summed = await runAllReduce({ backend: backend(4), count: 1 << 20, print });

  print('\n02-digits: data-parallel training with an AllReduce kernel\n');
  const learnt = await runDigits({ backend, ranks: [1, 2, 4, 8], epochs: 4, training: 500, test: 100, print });

  return summed && learnt;
}

async function start(args: readonly string[]): Promise<number> {
  let name: BackendName | undefined;
  try {
    name = chosenBackend(args);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (name === undefined) {
    console.log(usage);
    return 0;
  }
  try {
    return (await runExamples(name)) ? 0 : 1;
  } catch (error) {
    // What a machine lacks, its message says.
    if (!isNcclError(error)) throw error;
    console.error(`error[${error.code}]: ${error.message}`);
    return 1;
  }
}

process.exitCode = await start(process.argv.slice(2));
