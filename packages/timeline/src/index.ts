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
export { latestTime } from './record/timeline-recorder.ts';
export type { FlowPoint, NewSlice, NewTrack, SliceBegin, TimelineRecorder } from './record/timeline-recorder.ts';
export { activityOf, isSliceCategory, sliceCategories } from './slice-category.ts';
export type { Activity, SliceCategory } from './slice-category.ts';
export { timelineSvg } from './svg/timeline-svg.ts';
export type { TimelineSvgOptions } from './svg/timeline-svg.ts';
export { renderTime } from './time-unit.ts';
export { timelineSummary } from './timeline-summary.ts';
export type { LongWait, ProcessSummary, TimelineSummary, TimelineSummaryOptions } from './timeline-summary.ts';
export { tracksOf } from './timeline.ts';
export type {
  Flow,
  FlowEnd,
  FlowId,
  Process,
  Slice,
  SliceArgs,
  Timeline,
  Track,
  TrackId,
  TrackKind,
} from './timeline.ts';
