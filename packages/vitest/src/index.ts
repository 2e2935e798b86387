export type { HostProgram } from '@nccl-ts/checker';
export type {
  CheckedLaunch,
  CheckOptionsFor,
  LaunchArgs,
  LaunchOf,
  LaunchShape,
  ScheduleOptions,
} from './check-options.ts';
export { registerMatchers, type CheckMatchers } from './register-matchers.ts';
export type { FindingPattern } from './to-have-finding.ts';
