export type { Allocation, Expected, ExpectOptions, Fill } from './memory/allocation.ts';
export {
  customAllReduce,
  signalType,
  type CustomAllReduceMemory,
  type CustomAllReduceOptions,
  type SignalLayout,
} from './adapters/custom-all-reduce.ts';
export { callFidelities, deviceCalls } from './calls/device-calls.ts';
export { deepEpBuffers, type DeepEpBuffers } from './adapters/deep-ep.ts';
export {
  ncclDevComm,
  ncclLayouts,
  ncclWindow,
  type NcclDevCommLayout,
  type NcclDevCommOptions,
  type NcclVersion,
} from './adapters/nccl.ts';
export { symmetricMemory, type SymmetricMemory, type SymmetricMemoryOptions } from './adapters/symmetric-memory.ts';
export {
  alignedTo,
  array,
  bytes,
  struct,
  type Fields,
  type StructType,
  type StructValue,
  type ValueOf,
} from './compound-types.ts';
export type { ComparedElements, Expectation } from './memory/expectation.ts';
export { llA2AHandle, resourceHandle } from './resource-handle.ts';
export {
  harness,
  isHarness,
  kernelsOf,
  ranksToCheck,
  type Harness,
  type HarnessDefinition,
  type HarnessOptions,
  type KernelHarness,
  type StepsDefinition,
  type StepsHarness,
} from './harness.ts';
export type { ByRank, HarnessKernel, RankOf } from './harness-kernel.ts';
export type { Alloc, Contents, RankLaunches, RankResults, RankSetup, RankSteps } from './rank-setup.ts';
export type { HarnessArgument } from './memory/harness-argument.ts';
export { harnessOnRank, harnessProgram, type RankProgram } from './harness-program.ts';
export { kernelFiles, textOf, type PtxSource, type KernelTexts } from './ptx-source.ts';
export { describeRanks, type RankDescription } from './describe-ranks.ts';
export { controlsDependents } from './controls-dependents.ts';
export type { DescribedMemory } from './describe-memory.ts';
export type {
  BarrierStep,
  CopyOptions,
  EventStep,
  HostStep,
  LaunchStep,
  LaunchStepOptions,
  MemcpyStep,
  MemsetStep,
  Step,
  SynchronizeStep,
  WaitWordOptions,
  WaitWordStep,
  WordCondition,
  WordOptions,
  WriteWordStep,
} from './step.ts';
export type { Surroundings } from './surroundings.ts';
export type { WriteStep } from './memory/write-step.ts';
export {
  ImageWriter,
  type CreatedField,
  type MemoryImage,
  type PlacedField,
  type PlacedPointer,
} from './memory/memory-image.ts';
export {
  isTypedValue,
  memoryType,
  type KnownWord,
  type MemoryType,
  type TypedValue,
  type TypedValueOf,
} from './memory/memory-type.ts';
export { layOutParameters, parameterBytes, type PlacedParameter } from './parameter-bytes.ts';
export type { Address, Pointer } from './memory/pointer.ts';
export { bf16, f16, f32, f64, i16, i32, i64, i8, ptr, u16, u32, u64, u8 } from './scalar-types.ts';
export type { TranslatedEntry, TranslatedKernel, TranslatedKernels } from './translated-entry.ts';
export { entryFacts, type EntryFacts, type ParameterFacts } from './first-harness/entry-facts.ts';
export { firstHarness } from './first-harness.ts';
export type { ParameterWord } from './parameter-words.ts';
export { todo } from './todo.ts';
export { entryOf, readPtxModule, translate, type TranslateOptions, type Translated } from './translate.ts';
export { tensorMap, type TensorMapSwizzle, type TensorMapValue } from './tensor-map.ts';
export { planLaunch } from './first-harness/plan-launch.ts';
export { probeLaunch, type ProbeOptions } from './first-harness/probe-launch.ts';
export type {
  LaunchPlan,
  PlanContext,
  PlannedExpectation,
  PlannedExpression,
  PlannedFill,
  PlannedMemory,
  PlannedSize,
} from './first-harness/launch-plan.ts';
export type { ReachedMemory } from './first-harness/reached-memory.ts';
export type { SourceField } from './first-harness/source-structs.ts';
export type { SourceParameter } from './first-harness/source-parameters.ts';
export type { PlacesRead, ThreadBound } from './launch-shape.ts';
