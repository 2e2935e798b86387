import { barriers } from './barriers.ts';
import { coops } from './coops.ts';
import { fabric } from './fabric.ts';
import { gin } from './gin.ts';
import { hostCalls } from './host-calls.ts';
import { llA2A } from './ll-a2a.ts';
import { lsaBarrier } from './lsa-barrier.ts';
import { multimem } from './multimem.ts';
import { reduceCopy } from './reduce-copy.ts';
import type { Row } from './row.ts';
import { teams } from './teams.ts';
import { windows } from './windows.ts';

/** The parts of NCCL's device API, and host calls that are newer than 2.30.7, by title. */
export const parts: Readonly<Record<string, readonly Row[]>> = {
  Teams: teams,
  'Groups of threads': coops,
  'Windows and pointers': windows,
  'LSA barriers': lsaBarrier,
  GIN: gin,
  'Barriers beyond LSA': barriers,
  'Low-latency all-to-all': llA2A,
  'Reduce and copy': reduceCopy,
  Multimem: multimem,
  'Compute fabric': fabric,
  'Host calls': hostCalls,
};

/** The rows of all parts. */
export const rows: readonly Row[] = Object.values(parts).flat();
