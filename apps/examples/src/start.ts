import { World } from '@nccl-ts/communicator';
import { isNcclError } from '@nccl-ts/core';
import { runAllReduce } from './01-allreduce-lsa/run.ts';
import { runDigits } from './02-digits/run.ts';
import { backendFactory } from './backend.ts';
import { unmetNeeds, type Example } from './example.ts';
import { examples } from './examples.ts';
import { hostExamples } from './host-examples.ts';
import { parseStartOptions, usage, type StartOptions } from './start-options.ts';

const print = (line: string): void => console.log(line);

/** Runs the requested examples, and returns true if all gave the right result. */
async function runExamples(options: StartOptions): Promise<boolean> {
  const { names, ranks = 4, lsaSize } = options;
  const backend = backendFactory(options.backend);
  const isChosen = (name: string): boolean => names.length === 0 || names.some((chosen) => name.startsWith(chosen));
  let right = true;

  if (isChosen('01-allreduce-lsa')) {
    print("01-allreduce-lsa: NCCL's AllReduce over load/store accessible memory\n");
    right = await runAllReduce({ backend: backend(ranks, lsaSize), count: 1 << 20, print });
  }
  if (isChosen('02-digits')) {
    print('\n02-digits: data-parallel training with an AllReduce kernel\n');
    const upTo = [1, 2, 4, 8].filter((number) => number <= (options.ranks ?? 8));
    right = (await runDigits({ backend, ranks: upTo, epochs: 4, training: 500, test: 100, print })) && right;
  }
  for (const example of [...examples, ...hostExamples].filter(({ name }) => isChosen(name))) {
    right = (await runExample(example, options)) && right;
  }
  return right;
}

/** Runs an example if the backend supports it. Otherwise reports that, which is not an error. */
async function runExample(example: Example, { backend, ranks = 4, lsaSize }: StartOptions): Promise<boolean> {
  print(`\n${example.name}: ${example.title}\n`);
  // If the backend has a network, some peers are reachable only through it.
  const reached = example.needs.includes('gin') && ranks % 2 === 0 ? ranks / 2 : ranks;
  const made = (): ReturnType<ReturnType<typeof backendFactory>> => backendFactory(backend)(ranks, lsaSize ?? reached);
  const world = await World.open({ backend: made() });
  const unmet = unmetNeeds(example, world.comm(0).properties);
  await world.close();
  if (unmet.length > 0) {
    print(`Skipped: the backend ${backend} has no ${unmet.join(', no ')} here`);
    return true;
  }
  return example.full({ backend: made(), print });
}

async function start(args: readonly string[]): Promise<number> {
  let options: StartOptions | undefined;
  try {
    options = parseStartOptions(args);
  } catch (error) {
    console.error(`error: ${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return 2;
  }
  if (options === undefined) {
    console.log(usage);
    return 0;
  }
  try {
    return (await runExamples(options)) ? 0 : 1;
  } catch (error) {
    // The message says which feature the machine lacks.
    if (!isNcclError(error)) throw error;
    console.error(`error[${error.code}]: ${error.message}`);
    return 1;
  }
}

process.exitCode = await start(process.argv.slice(2));
