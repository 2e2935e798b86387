import { buildReport } from './build-report.ts';
import type { CheckReport } from './check-report.ts';
import type { Proof } from './proof.ts';

/**
 * Merges several reports into one, with all findings and the weakest of their proofs, which holds
 * for each of them.
 */
export function combineReports(reports: readonly CheckReport[]): CheckReport {
  return buildReport({
    runs: reports,
    proves: weakestProof(reports.map(({ proves }) => proves)),
  });
}

const strength: Readonly<Record<Proof['kind'], number>> = {
  nothing: 0,
  'this schedule': 1,
  schedules: 2,
  portfolio: 3,
  'modelled schedules': 4,
  'all schedules': 5,
};

/**
 * Proofs of all schedules are combined. Otherwise the proof with the fewest schedules is the
 * weakest.
 */
function weakestProof(proofs: readonly Proof[]): Proof {
  const [weakest] = proofs.toSorted((a, b) => strength[a.kind] - strength[b.kind] || runsOf(a) - runsOf(b));
  if (weakest === undefined) return { kind: 'nothing', bound: 'no check was run' };
  if (weakest.kind !== 'all schedules' && weakest.kind !== 'modelled schedules') return weakest;
  const patient = proofs.some((proof) => 'patient' in proof && proof.patient);
  const count = proofs.reduce((sum, proof) => sum + runsOf(proof), 0);
  return { kind: weakest.kind, count, ...(patient ? { patient } : {}) };
}

function runsOf(proof: Proof): number {
  switch (proof.kind) {
    case 'nothing':
      return 0;
    case 'this schedule':
      return 1;
    case 'schedules':
    case 'modelled schedules':
    case 'all schedules':
      return proof.count;
    case 'portfolio':
      return proof.parts.reduce((sum, { count }) => sum + count, 0);
  }
}
