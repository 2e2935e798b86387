export { checkChromeTrace } from './check/check-chrome-trace.ts';
export { renderTraceProblem } from './check/render-trace-problem.ts';
export type { TraceProblem } from './check/trace-problem.ts';
export { chromeTrace } from './chrome/chrome-trace.ts';
export type {
  ChromeTrace,
  ChromeTraceEvent,
  CompleteEvent,
  CounterEvent,
  FlowEvent,
  MetadataEvent,
} from './chrome/trace-event.ts';
export { writeChromeTrace } from './chrome/write-chrome-trace.ts';
export { criticalPath } from './critical-path.ts';
export type { CriticalStep } from './critical-path.ts';
export { createTimelineRecorder } from './record/create-timeline-recorder.ts';
export { latestTime } from './record/latest-time.ts';
export { activityOf, isSliceCategory, sliceCategories } from './slice-category.ts';
export type { Activity } from './slice-category.ts';
export { timelineSvg } from './svg/timeline-svg.ts';
export type { TimelineSvgOptions } from './svg/timeline-svg.ts';
export { renderTime } from './time-unit.ts';
export { timelineSummary } from './timeline-summary.ts';
export type { LongWait, ProcessSummary, TimelineSummary, TimelineSummaryOptions } from './timeline-summary.ts';
export { tracksOf } from './tracks-of.ts';
export type {
  Flow,
  FlowEnd,
  FlowId,
  FlowPoint,
  NewSlice,
  NewTrack,
  Process,
  Slice,
  SliceArgs,
  SliceBegin,
  SliceCategory,
  Timeline,
  TimelineRecorder,
  Track,
  TrackId,
  TrackKind,
} from '@nccl-ts/core';
