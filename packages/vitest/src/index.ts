export type {
  CheckedLaunch,
  CheckOptionsFor,
  HostProgram,
  LaunchArgs,
  LaunchOf,
  LaunchShape,
  ScheduleOptions,
} from './check-options.ts';
export { registerMatchers, type CheckMatchers } from './register-matchers.ts';
export type { FindingPattern } from './to-have-finding.ts';
