import { check } from '@nccl-ts/checker';
import { worstOfRanks, type CheckReport, type RanksCheck } from '@nccl-ts/findings';
import {
  entryFacts,
  firstHarness,
  harnessProgram,
  isHarness,
  ranksToCheck,
  readPtxModule,
  translate,
} from '@nccl-ts/harness';
import { matchingEntries } from '@nccl-ts/ptx';
import type { CheckResult, WorkerRequest } from '../protocol.ts';
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
  const { exported } = await loadProgram(launch);
  const harness = exported['default'];
  if (!isHarness(harness)) {
    throw new TypeError(
      'cannot check the kernel, because the launch exports no harness; export default harness({ ... }).',
    );
  }
  const source = cuda === undefined ? {} : { source: () => cuda };
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
      harnessProgram(harness, translate(harness, ptx, { name: 'kernel.ptx', ...source, ranks })),
    );
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
  return resultOf(worstOfRanks(checks), started);
}

/** Drafts a launch of the first entry. */
export function draftOf(ptx: string): string {
  const module = readPtxModule(ptx, 'kernel.ptx');
  const [entry] = matchingEntries(module, /^/);
  if (entry === undefined)
    throw new TypeError('cannot describe a launch, because the text has no entry; paste PTX with a .entry.');
  return firstHarness(entryFacts(module, entry), 'kernel.ptx');
}
