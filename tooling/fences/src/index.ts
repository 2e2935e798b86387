export { beginningOf, fencesOf, isProgram, packagesOf, type Fence } from './fence.ts';
export { fenceTable, type FenceRow } from './fence-table.ts';
export { property, textAt } from './property.ts';
export { javascriptOf } from './program.ts';
