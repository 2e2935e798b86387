import type { Subject } from './subject.ts';
import { collectiveSubjects } from './subjects/collectives.ts';
import { conformanceSubjects } from './subjects/conformance.ts';
import { exampleSubjects } from './subjects/examples.ts';
import { lsaExchanges } from './subjects/lsa-exchange.ts';
import { networkExchanges } from './subjects/network-exchange.ts';
import { sentinelTurns } from './subjects/sentinel-turns.ts';

/** Every program whose kernels are mutated. */
export const subjects: readonly Subject[] = [
  ...lsaExchanges,
  ...networkExchanges,
  ...exampleSubjects,
  ...sentinelTurns,
  ...collectiveSubjects,
  ...conformanceSubjects,
];
