export { compileWork } from './emit/compile-work.ts';
export { createCollectiveEngine } from './engine/collective-engine.ts';
export { isNative, planCollective, type NativeCollective } from './engine/plan-collective.ts';
export type { CopyPart, NativePart, NativeReduction, NativeWork, ReducePart } from './plan/native-work.ts';
export { Team, TeamJob } from './team/team.ts';
