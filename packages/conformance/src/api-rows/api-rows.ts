import type { ApiRow } from './api-row.ts';
import { barriers } from './barriers.ts';
import { coops } from './coops.ts';
import { fabric } from './fabric.ts';
import { gin } from './gin.ts';
import { llA2A } from './ll-a2a.ts';
import { lsaBarrier } from './lsa-barrier.ts';
import { multimem } from './multimem.ts';
import { reduceCopy } from './reduce-copy.ts';
import { teams } from './teams.ts';
import { windows } from './windows.ts';

/** A part of the device API. */
export interface ApiPart {
  readonly title: string;
  readonly rows: readonly ApiRow[];
}

/** NCCL's device API, row by row. */
export const apiParts: readonly ApiPart[] = Object.freeze([
  { title: '1.2 Teams', rows: teams },
  { title: '1.3 Groups of threads', rows: coops },
  { title: '1.4 Windows and pointers', rows: windows },
  { title: '1.5 LSA barriers', rows: lsaBarrier },
  { title: '1.6 GIN', rows: gin },
  { title: '1.7 Barriers beyond LSA', rows: barriers },
  { title: '1.8 Low-latency all-to-all', rows: llA2A },
  { title: '1.9 Reduce and copy', rows: reduceCopy },
  { title: '1.10 Multimem', rows: multimem },
  { title: '1.11 Compute fabric', rows: fabric },
]);
