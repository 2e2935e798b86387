import { parseArgs } from 'node:util';
import { examples } from './examples.ts';
import { hostExamples } from './host-examples.ts';
import { backendNames, isBackendName, type BackendName } from './backend.ts';

/** The options of the command line. */
export interface StartOptions {
  readonly backend: BackendName;
  /** The prefixes of the names of the examples to run. If there are none, all run. */
  readonly names: readonly string[];
  readonly ranks: number | undefined;
  readonly lsaSize: number | undefined;
}

/** All of them, in order. */
export const exampleNames: readonly string[] = [
  '01-allreduce-lsa',
  '02-digits',
  ...[...examples, ...hostExamples].map(({ name }) => name),
];

export const usage = `Usage: npm start -- [--backend NAME] [--ranks N] [--lsa-size N] [EXAMPLE ...]

Runs the examples whose names begin with one of those given, or all, one after the other:
${exampleNames.map((name) => `  ${name}`).join('\n')}

  --backend NAME   what runs the kernels: ${backendNames.join(', ')} (default: sim)
  --ranks N        for 02-digits, the most (default: 4, and 8 for 02-digits)
  --lsa-size N     ranks that reach each other's memory; on the simulator (default: half of them where an example
                   uses the network, else all)`;

/** Reads the command line. Returns `undefined` if it asks for help. Throws if it is wrong. */
export function parseStartOptions(args: readonly string[]): StartOptions | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      backend: { type: 'string', default: 'sim' },
      ranks: { type: 'string' },
      'lsa-size': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return undefined;
  if (!isBackendName(values.backend)) throw new Error(`--backend ${values.backend}: there is no such backend`);
  const unknown = positionals.find((given) => !exampleNames.some((name) => name.startsWith(given)));
  if (unknown !== undefined) throw new Error(`${unknown}: there is no such example`);
  return {
    backend: values.backend,
    names: positionals,
    ranks: positive('--ranks', values.ranks),
    lsaSize: positive('--lsa-size', values['lsa-size']),
  };
}

function positive(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new Error(`${name} ${text}: it must be an integer of at least 1`);
  return value;
}
