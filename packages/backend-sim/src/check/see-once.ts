import { buildReport, type CheckReport } from '@nccl-ts/findings';
import type { Determinacy } from '@nccl-ts/memory-model';
import { simWith, type SimBackend } from '../sim-backend.ts';
import { resolveSimOptions, type SimOptions } from '../sim-options.ts';
import { runOnce } from './run-once.ts';

/** What one run shows of all. */
export type SeenOnce =
  /** Nothing that happened could have happened otherwise: all runs are like it, and what races in it races. */
  | { readonly kind: 'all'; readonly report: CheckReport }
  /** Why others may differ. */
  | { readonly kind: 'one'; readonly doubt: string };

/**
 * Runs a program once, and looks whether that shows what there is of all runs that the memory model allows.
 *
 * @throws what `program` throws that is no finding.
 */
export async function seeOnce(
  options: Omit<SimOptions, 'mode' | 'strategy'>,
  program: (backend: SimBackend) => Promise<void>,
): Promise<SeenOnce> {
  const accounts: Determinacy[] = [];
  // Requests one after the other, and no sooner seen than the ones before: what a wait passes by is then the least that it passes by.
  const gin = { ...options.gin, delivery: 'prompt' } as const;
  const resolved = resolveSimOptions({ ...options, gin, mode: 'check' });
  const backend = simWith(resolved, undefined, { onDeterminacy: (account) => accounts.push(account) });
  const { strategy, seed } = resolved;
  const { runs } = await runOnce(backend, { strategy, seed }, program);
  const doubt = accounts.map((account) => account.doubt()).find((one) => one !== undefined);
  if (doubt !== undefined) return { kind: 'one', doubt };
  const report = buildReport({
    runs,
    proves: {
      kind: 'all schedules',
      count: 1,
      ...(accounts.some(({ isPatient }) => isPatient) ? { patient: true } : {}),
    },
    ...(options.strict === undefined ? {} : { strict: options.strict }),
  });
  // What stands still, fails or breaks a rule has not gone through all of the program.
  if (report.verdict !== 'clean' && report.verdict !== 'race') return { kind: 'one', doubt: 'something was found' };
  return { kind: 'all', report };
}
