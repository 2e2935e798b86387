export { mbarrierLayout, mbarrierState, type MbarrierState } from './mbarrier-word.ts';
export { at } from './at.ts';
export { decodeArray, encodeArray } from './array-codec.ts';
export type { ValueArrays } from './array-codec.ts';
export { bf16ToNumber, numberToBf16, roundToBf16 } from './bfloat16.ts';
export { DataType, dataTypeBytes, dataTypeInfo, dataTypeOfScalar, scalarOfDataType } from './data-type.ts';
export type { DataTypeInfo, DataTypeName } from './data-type.ts';
export { configureDebug, debugEnabled, debugLog } from './debug-log.ts';
export type { DebugOptions, DebugSink } from './debug-log.ts';
export { errorCodes, isErrorCode } from './error-code.ts';
export type { ErrorCode, ErrorCodeInfo } from './error-code.ts';
export { expectInteger } from './expect-integer.ts';
export { expectOptions } from './expect-options.ts';
export { f16DecodeTable, f16ToNumber, numberToF16, roundToF16 } from './float16.ts';
export {
  e4m3DecodeTable,
  e4m3ToNumber,
  e5m2DecodeTable,
  e5m2ToNumber,
  numberToE4m3,
  numberToE5m2,
  roundToE4m3,
  roundToE5m2,
} from './float8.ts';
export { LINE } from './line.ts';
export { collectiveNames, collectiveShapes } from './collective.ts';
export type { CollectiveName, CollectiveShape } from './collective.ts';
export { recordOf } from './record-of.ts';
export { ALL_LANES, WARP_SIZE } from './warp-size.ts';
export {
  approximate,
  exact,
  opaque,
  opaqueValues,
  type ApproximateFidelity,
  type Errs,
  type ExactFidelity,
  type Fidelity,
  type FidelityRow,
  type OpaqueFidelity,
} from './fidelity.ts';
export { medianOf } from './median-of.ts';
export { alignCells, markdownTable } from './text-table.ts';
export { createMacrotaskQueue } from './macrotask-queue.ts';
export type { MacrotaskQueue } from './macrotask-queue.ts';
export { acquireOrderOf, isMemoryOrder, memoryOrders, releaseOrderOf } from './memory-order.ts';
export type { MemoryOrder } from './memory-order.ts';
export { memoryProxies } from './memory-proxy.ts';
export type { MemoryProxy } from './memory-proxy.ts';
export { isMemoryScope, memoryScopes } from './memory-scope.ts';
export type { AccessScope, MemoryScope } from './memory-scope.ts';
export { isNcclError, NcclError } from './nccl-error.ts';
export type { NcclErrorOptions } from './nccl-error.ts';
export { readPermitted } from './read-permitted.ts';
export type { HostPermission } from './read-permitted.ts';
export { abortSignalOf } from './abort-signal.ts';
export { reading } from './reading.ts';
export { RedOp, redOpName } from './red-op.ts';
export type { RedOpName } from './red-op.ts';
export { isResultCode, ResultCode, resultDescription, resultInfo, resultName } from './result-code.ts';
export type { ResultInfo, ResultName } from './result-code.ts';
export { isScalarKind, scalarInfo, scalarKinds } from './scalar-kind.ts';
export type { BoolInfo, FloatInfo, IntInfo, ScalarClass, ScalarInfo, ScalarKind } from './scalar-kind.ts';
export { showValue } from './show-value.ts';
export { takeOptions } from './take-options.ts';
export { storageArrays } from './typed-array.ts';
export type { StorageArrays, TypedArrayConstructor } from './typed-array.ts';
export { NCCL_VERSION, ncclVersionCode, ncclVersionText, version } from './version.ts';
export { emptyWordTable, wordTable } from './word-table.ts';
export type { SliceCategory } from './timeline/slice-category.ts';
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
} from './timeline/timeline.ts';
export type { FlowPoint, NewSlice, NewTrack, SliceBegin, TimelineRecorder } from './timeline/timeline-recorder.ts';
