export { Checker } from './checker.ts';
export { rankMisuseFinding } from './rank-misuse.ts';
export { worldReport } from './world-report.ts';
export { writeLogOf } from './world-write-log.ts';
