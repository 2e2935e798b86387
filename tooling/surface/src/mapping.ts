import type { SurfaceEntry } from './entry.ts';
import { barriers } from './mapping/barriers.ts';
import { buildingBlocks } from './mapping/building-blocks.ts';
import { cft } from './mapping/cft.ts';
import { coops } from './mapping/coops.ts';
import { devComm } from './mapping/dev-comm.ts';
import { ginPlumbing } from './mapping/gin-plumbing.ts';
import { gin } from './mapping/gin.ts';
import { headerMacros } from './mapping/header-macros.ts';
import { hostLibrary } from './mapping/host-library.ts';
import { hostValues } from './mapping/host-values.ts';
import { pointers } from './mapping/pointers.ts';
import { teams } from './mapping/teams.ts';

/** The counterparts of every name in `surface.json`. */
export const mapping: readonly SurfaceEntry[] = [
  ...hostValues,
  ...hostLibrary,
  ...headerMacros,
  ...coops,
  ...devComm,
  ...teams,
  ...pointers,
  ...barriers,
  ...gin,
  ...ginPlumbing,
  ...buildingBlocks,
  ...cft,
];
