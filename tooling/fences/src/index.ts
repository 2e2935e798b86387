export { beginningOf, fencesOf, isProgram, packagesOf, type Fence } from './fence.ts';
export { followGuide, type FollowedGuide, type GuideFolder, type GuideOutcome } from './guide/follow-guide.ts';
export { fenceTable, type FenceRow } from './fence-table.ts';
export { property, textAt } from './property.ts';
export { javascriptOf } from './program.ts';
