import { buildReport, type CheckReport } from '@nccl-ts/findings';
import type { Determinacy } from '@nccl-ts/memory-model';
import { simWith, type SimBackend } from '../sim-backend.ts';
import { resolveSimOptions, type SimOptions } from '../sim-options.ts';
import { runOnce } from './run-once.ts';

/**
 * Runs a program once; answers what that shows of all runs that the memory model allows, where they are all like this one: nothing was
 * found, and nothing that happened could have happened otherwise. `undefined` where others may differ.
 *
 * @throws what `program` throws that is no finding.
 */
export async function standsForAll(
  options: Omit<SimOptions, 'mode' | 'strategy'>,
  program: (backend: SimBackend) => Promise<void>,
): Promise<CheckReport | undefined> {
  const accounts: Determinacy[] = [];
  // Requests one after the other, and no sooner seen than the ones before: what a wait passes by is then the least that it passes by.
  const resolved = resolveSimOptions({ ...options, mode: 'check', gin: { ...options.gin, delivery: 'prompt' } });
  const backend = simWith(resolved, undefined, { onDeterminacy: (account) => accounts.push(account) });
  const { strategy, seed } = resolved;
  const { runs } = await runOnce(backend, { strategy, seed }, program);
  const report = buildReport({
    runs,
    proves: { kind: 'all schedules', count: 1 },
    ...(options.strict === undefined ? {} : { strict: options.strict }),
  });
  const isOnly = accounts.length > 0 && accounts.every((account) => account.doubt() === undefined);
  return isOnly && report.verdict === 'clean' ? report : undefined;
}
