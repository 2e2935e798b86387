import { check } from '@nccl-ts/checker';
import { entryFacts, firstHarness, harnessProgram, isHarness, readPtxModule, translate } from '@nccl-ts/harness';
import { matchingEntries } from '@nccl-ts/ptx';
import type { CheckResult, WorkerRequest } from '../protocol.ts';
import { resultOf, TIME, type CheckNews } from './check-program.ts';
import { loadProgram } from './load-program.ts';

/** Checks an entry of PTX text, launched as the module `launch` describes. */
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
  const translated = translate(harness, ptx, { name: 'kernel.ptx', ...source });
  const report = await check(
    {
      ranks: harness.ranks,
      ...(residentCtas === undefined ? {} : { residentCtas }),
      time: TIME,
      signal,
      onPhase,
      onFinding: ({ message }) => onFinding(message),
    },
    harnessProgram(harness, translated),
  );
  return resultOf(report, started);
}

/** Drafts a launch of the first entry. */
export function draftOf(ptx: string): string {
  const module = readPtxModule(ptx, 'kernel.ptx');
  const [entry] = matchingEntries(module, /^/);
  if (entry === undefined)
    throw new TypeError('cannot describe a launch, because the text has no entry; paste PTX with a .entry.');
  return firstHarness(entryFacts(module, entry), 'kernel.ptx');
}
