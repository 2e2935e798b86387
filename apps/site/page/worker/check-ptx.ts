import { sim } from '@nccl-ts/backend-sim';
import { check } from '@nccl-ts/checker';
import { worstOfRanks, type CheckReport, type RanksCheck } from '@nccl-ts/findings';
import {
  entryFacts,
  firstHarness,
  harnessProgram,
  isHarness,
  planLaunch,
  probeLaunch,
  ranksToCheck,
  readPtxModule,
  translate,
} from '@nccl-ts/harness';
import { matchingEntries } from '@nccl-ts/ptx';
import type { CheckResult, WorkerRequest } from '../protocol.ts';
import { baseName, sourceFile } from '../ptx-files.ts';
import { resultOf, TIME, type CheckNews } from './check-program.ts';
import { loadProgram } from './load-program.ts';

/**
 * Checks an entry of PTX text, launched as the module `launch` describes, with each number of
 * ranks. If it cannot run with one of several numbers, the report says so.
 */
export async function checkPtx(
  { ptx, launch, cuda, residentCtas }: Omit<Extract<WorkerRequest, { readonly kind: 'ptx' }>, 'kind'>,
  { signal, onPhase, onFinding }: CheckNews,
): Promise<CheckResult> {
  const started = performance.now();
  expectPtx(ptx);
  const { exported } = await loadProgram(launch);
  const harness = exported['default'];
  if (!isHarness(harness)) {
    throw new TypeError(
      'cannot check the kernel, because the launch exports no harness; export default harness({ ... }).',
    );
  }
  const source = { source: sourceOf(ptx, cuda) };
  const counts = ranksToCheck(harness);
  const checkWith = async (ranks: number): Promise<CheckReport> =>
    check(
      {
        ranks,
        local: harness.local,
        ...(residentCtas === undefined ? {} : { residentCtas }),
        time: TIME / counts.length,
        signal,
        onPhase: (phase) => onPhase(counts.length === 1 ? phase : `${ranks} ranks, ${phase}`),
        onFinding: ({ message }) => onFinding(message),
      },
      harnessProgram(harness, translate(harness, ptx, { name: 'kernel.ptx', ...source, ranks }), onCompared),
    );
  let compared = false;
  const onCompared = (): void => {
    compared = true;
  };
  const failures: unknown[] = [];
  const checks: RanksCheck[] = [];
  for (const ranks of counts) {
    try {
      checks.push({ ranks, report: await checkWith(ranks) });
    } catch (error) {
      failures.push(error);
      checks.push({ ranks, why: error instanceof Error ? error.message : String(error) });
    }
  }
  if (failures.length === counts.length) throw failures[0];
  return { ...resultOf(worstOfRanks(checks), started), compared };
}

/**
 * Returns a function with the text of the CUDA C++ file that the PTX text was compiled from.
 * The headers that it names are other files.
 */
export function sourceOf(ptx: string, cuda: string | undefined): (path: string) => string | undefined {
  const main = cuda === undefined || cuda.trim() === '' ? undefined : sourceFile(ptx);
  return (path) => (main !== undefined && baseName(path) === main ? cuda : undefined);
}

/** @throws TypeError for the source of a kernel in place of its PTX. */
function expectPtx(text: string): void {
  if (/^\s*\.(?:version|visible|entry|func|target)\b/m.test(text) || !/__global__|^\s*#\s*include/m.test(text)) return;
  throw new TypeError(
    'cannot check this text, because it is CUDA C++: compile it with nvcc -ptx -lineinfo, paste the PTX here, and the source beside it.',
  );
}

/** The rounds of loops without a wait after which a probe run gives up. */
const PROBE_FUEL = 2 ** 17;

/** Describes a launch of the first entry, as `nccl-ts ptx --write` does: with a few probe runs. */
export async function draftOf(ptx: string, cuda: string | undefined): Promise<string> {
  expectPtx(ptx);
  const module = readPtxModule(ptx, 'kernel.ptx');
  const [entry] = matchingEntries(module, /^/);
  if (entry === undefined)
    throw new TypeError('cannot describe a launch, because the text has no entry; paste PTX with a .entry.');
  const facts = entryFacts(module, entry, sourceOf(ptx, cuda));
  const plan = await probeLaunch(planLaunch(facts), {
    entry: facts.name,
    text: ptx,
    name: 'kernel.ptx',
    backend: (ranks) => sim({ ranks, fuel: PROBE_FUEL }),
  });
  return firstHarness(facts, 'kernel.ptx', plan);
}
