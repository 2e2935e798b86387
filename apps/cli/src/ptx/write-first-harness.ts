import { isNcclError } from '@nccl-ts/core';
import { existsSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { isKernelFile } from '../module/is-kernel-file.ts';
import { printOut } from '../output/print.ts';
import { expectWritable, writeFile } from '../output/write-file.ts';
import { UsageError } from '../usage-error.ts';

/** The rounds of loops without a wait after which a probe run gives up. */
const PROBE_FUEL = 2 ** 17;

export interface FirstHarnessRequest {
  /** The `.cu` or `.ptx` file. */
  readonly file: string;
  /** A part of the name of the kernel, if the file has several. */
  readonly kernel?: string;
  /** The file to write. */
  readonly write: string;
  /** True if it may exist. */
  readonly force: boolean;
  readonly compilerFlags: readonly string[];
}

/**
 * Writes a first harness of a kernel, after a few probe runs on the simulator, and says so.
 *
 * @throws UsageError if the file is no kernel, has several of the name, or is there already.
 */
export async function writeFirstHarness(request: FirstHarnessRequest): Promise<void> {
  const { file, kernel, write, force, compilerFlags } = request;
  if (!isKernelFile(file)) throw new UsageError(`--write is for a .cu or .ptx file; ${file} is neither`);
  await expectWritable('--write', write);
  if (existsSync(write) && !force) {
    throw new UsageError(`--write ${write}: the file is there already; --force writes over it`);
  }
  const [{ entryFacts, entryOf, firstHarness, planLaunch, probeLaunch, readPtxModule }, { sim }, { readPtx }] =
    await Promise.all([import('@nccl-ts/harness'), import('@nccl-ts/backend-sim'), import('../module/read-ptx.ts')]);
  const { name, text, source } = await readPtx(file, compilerFlags);
  const module = readPtxModule(text, name);
  const facts = entryFacts(
    module,
    namedEntry(() => entryOf(module, kernel)),
    source,
  );
  const kernelFile = relative(dirname(resolve(write)), resolve(file))
    .split(sep)
    .join('/');
  const plan = await probeLaunch(planLaunch(facts), {
    entry: facts.name,
    text,
    name,
    backend: (ranks) => sim({ ranks, fuel: PROBE_FUEL }),
  });
  const written = firstHarness(facts, kernelFile, plan);
  await writeFile('--write', write, written);
  const next = written.includes("todo('") ? 'fill in the values of todo, then run' : 'read it, then run';
  printOut(`wrote ${write}: ${next} nccl-ts check ${write}\n`);
  if (plan.isProbed !== true && plan.probe !== undefined) printOut(`${plan.probe}\n`);
}

/** The command line names the entry, so that its mistakes are those of the command line. */
function namedEntry<Entry>(find: () => Entry): Entry {
  try {
    return find();
  } catch (error) {
    if (isNcclError(error) && error.code === 'NCCL_INVALID_ARGUMENT') throw new UsageError(error.message);
    throw error;
  }
}
