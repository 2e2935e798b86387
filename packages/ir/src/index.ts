export type {
  AddressSpace,
  HandleType,
  PointerType,
  ScalarType,
  Type,
  TypeKind,
  ValueType,
  VectorType,
} from './type.ts';
export { elementScalar, handleType, pointerType, sameType, scalarType, typeName, vectorType } from './type.ts';
export type { Source, SourceId, SourceLocation, Span } from './span.ts';
export { lineAt, offsetAt } from './span.ts';
export { quoteOf, type Quote } from './quote.ts';
export type { KernelDiagnosticCode } from './diagnostic-code.ts';
export type { Diagnostic, SpanEdit, Label, Repair, Severity } from './diagnostic.ts';
export type {
  ArrayExpression,
  ArrayId,
  BinaryExpression,
  BinaryOp,
  BitcastExpression,
  Builtin,
  BuiltinExpression,
  ClusterPointerExpression,
  CompareExpression,
  CompareOp,
  ConstantExpression,
  ConvertExpression,
  Expression,
  ExpressionKind,
  FieldExpression,
  IntrinsicExpression,
  LaneExpression,
  LocalExpression,
  LocalId,
  LogicalExpression,
  MathExpression,
  MathFunction,
  MulticastPointerExpression,
  MulticastSizeExpression,
  ParamExpression,
  PointerCastExpression,
  PointerOffsetExpression,
  SelectExpression,
  UnaryExpression,
  UnaryOp,
  UnicastPointerExpression,
  VectorExpression,
  AddressPointerExpression,
  WindowPointerExpression,
  WithLaneExpression,
  Coop,
  CoopKind,
  Static,
} from './expression.ts';
export { contractText, countPlaceholders, wrappedText } from './contract-text.ts';
export type {
  AssertStatement,
  AssignStatement,
  AtomicAccess,
  AtomicOp,
  AtomicStatement,
  BlockStatement,
  Body,
  BreakStatement,
  CallStatement,
  ClockStatement,
  CollectiveOp,
  CollectiveStatement,
  ContinueStatement,
  FenceAliasStatement,
  FenceFabricStatement,
  FenceProxyStatement,
  FenceStatement,
  IfStatement,
  LeaveStatement,
  LoadStatement,
  LoopStatement,
  BarrierVote,
  NamedBarrier,
  ApproximateStatement,
  PrintStatement,
  ReturnStatement,
  Statement,
  StatementKind,
  StoreStatement,
  SyncStatement,
  VectorPart,
  WaitAllStatement,
  WaitStatement,
} from './statement.ts';
export { atomicMeaning, type AtomicMeaning } from './atomic-meaning.ts';
export { clusterCtas } from './module.ts';
export type { ArrayDeclaration, ClusterSize, Local, Module, Param } from './module.ts';
export type { Capabilities, Check } from './capabilities.ts';
export type { ValidatedModule } from './validated-module.ts';

export { array, builtin, constant, field, local, param } from './build/leaf.ts';
export { binary, bitcast, compare, convert, logical, math, select, unary } from './build/operation.ts';
export { lane, vector, withLane } from './build/vector.ts';
export {
  addressPointer,
  multicastPointer,
  multicastSize,
  clusterPointer,
  pointerCast,
  pointerOffset,
  unicastPointer,
  windowPointer,
} from './build/pointer.ts';
export { intrinsic } from './build/intrinsic.ts';

export type { ExpressionByKind, ExpressionTable, StatementByKind, StatementTable } from './visit/dispatch.ts';
export { dispatchExpression, dispatchStatement } from './visit/dispatch.ts';
export {
  coopExpressions,
  expressionChildren,
  isLeaf,
  statementBodies,
  statementExpressions,
  statementTarget,
  staticExpressions,
} from './visit/children.ts';
export type { ControlStatement } from './visit/is-control.ts';
export { isControl } from './visit/is-control.ts';
export { readsClock } from './visit/reads-clock.ts';
export type { BodyVisitor } from './visit/walk.ts';
export { loadsIn, walkBody, walkExpression, walkStatement } from './visit/walk.ts';
export type { ExpressionMapper } from './visit/map-expression.ts';
export { mapChildren, mapCoop, mapExpression, mapStatics } from './visit/map-expression.ts';
export type { BodyMapper, PartMapper } from './visit/map-body.ts';
export { mapBody, mapStatementParts } from './visit/map-body.ts';
export {
  assignedLocals,
  bodyReads,
  localSubstitution,
  readLocals,
  statementReads,
  substituteLocals,
} from './visit/locals.ts';

export type { PrintedModule, PrintOptions } from './print/print-module.ts';
export { printModule, printModuleLines } from './print/print-module.ts';
export { parseModule } from './parse/parse-module.ts';
export { Writer } from './emit/writer.ts';

export type { ScalarFault, ScalarValue } from './arithmetic/scalar-value.ts';
export { isFault, isFloatKind, isIntegerKind, isScalarValue, isWide } from './arithmetic/scalar-value.ts';
export { oneNaN } from './arithmetic/one-nan.ts';
export { roundFloat, wrapBigint, wrapNumber } from './arithmetic/round.ts';
export { scalarBinary } from './arithmetic/scalar-binary.ts';
export { scalarCompare } from './arithmetic/scalar-compare.ts';
export { scalarConvert } from './arithmetic/scalar-convert.ts';
export { mathArity, scalarMath } from './arithmetic/scalar-math.ts';
export { scalarUnary } from './arithmetic/scalar-unary.ts';
export { bitcastBytes, readScalar, valueBytes, valueWidth, writeScalar } from './arithmetic/bytes.ts';
export { hasBinary, hasBitcast, hasCompare, hasConvert, hasMath, hasUnary } from './arithmetic/operations.ts';

export type { Elements } from './arithmetic/evaluate-constant.ts';
export { evaluateConstant } from './arithmetic/evaluate-constant.ts';
export type { Algebra, Operation } from './arithmetic/evaluate-operation.ts';
export { evaluateOperation } from './arithmetic/evaluate-operation.ts';
export { fold, foldBody, foldModule } from './transform/fold-constants.ts';
export type { Specialisation } from './transform/specialise.ts';
export { specialise } from './transform/specialise.ts';
export type { UnrollLimits } from './transform/unroll-loops.ts';
export { unrollLoops } from './transform/unroll-loops.ts';
export { expandIntrinsics } from './transform/expand-intrinsics.ts';
export { isReadingCall, liftFromWait, liftWaits, type LiftedWait } from './transform/lift-from-wait.ts';
export { propagateConstants } from './transform/propagate-constants.ts';
export type { LaunchSpecialisation } from './transform/specialise-launch.ts';
export { specialiseLaunch } from './transform/specialise-launch.ts';

export type { Uniformity } from './regions/uniformity.ts';
export { analyseUniformity } from './regions/uniformity.ts';
export { mayFault } from './regions/may-fault.ts';
export type { CutStatement, SplitOptions, State, StateGraph, StateId, Terminator } from './regions/split.ts';
export { splitStates, successors } from './regions/split.ts';
export { pollsByAtomics, waitsByAtomics } from './regions/spin.ts';
export type { Liveness } from './regions/liveness.ts';
export { analyseLiveness } from './regions/liveness.ts';
export { recomputableLocals } from './regions/recompute.ts';
export { awaitedLocals } from './regions/awaited-loads.ts';
export type { Needed } from './regions/needed.ts';
export { neededOf } from './regions/needed.ts';
export { timesWaitsOnly } from './regions/times-waits.ts';
export type { WantedWord } from './regions/wanted.ts';
export { conditionOf, reachedOf, wantedWords } from './regions/wanted.ts';
export type { CasLoop } from './regions/cas-loops.ts';
export { casLoops } from './regions/cas-loops.ts';
export { spinLook, type SpinLook } from './regions/spin-look.ts';
export { spinRound, type SpinRound } from './regions/spin-round.ts';
export { voteLoop, voteLoops, type VoteLoop } from './regions/vote-loop.ts';
export { earlyFence, fencesBeside, type FencesBeside } from './regions/fences-beside.ts';
export { valueOrigin, type ValueOrigin } from './regions/value-origin.ts';
export type { ValueUse } from './regions/value-uses.ts';
export { loadUses, valueUses } from './regions/value-uses.ts';
export type { CountedLoop } from './regions/counted-loop.ts';
export { countedLoop, isCounted } from './regions/counted-loop.ts';
export {
  absentLaneFidelity,
  activeMaskFidelity,
  atomicFidelity,
  clockFidelity,
  collectiveFidelity,
  expressionFidelity,
  loadBufferingFidelity,
  mathFidelity,
  nonCoherentFidelity,
  statementFidelity,
} from './fidelity.ts';
export { nameApproximations } from './transform/name-approximations.ts';
export { normalise } from './transform/normalise.ts';
export { waitBeforeRetry } from './transform/wait-before-retry.ts';

export type { Validation } from './validate/validate.ts';
export { validate } from './validate/validate.ts';
export type { ValidationFinding } from './validate/codes.ts';
export { validationCodes } from './validate/codes.ts';

export { renderSections, renderShown } from './render/render-shown.ts';
export type {
  RenderOptions,
  ShownLabel,
  ShownNote,
  ShownSpan,
  ShownReport,
  ShownSection,
  ShownSeverity,
} from './render/render-shown.ts';
export { alikeDiagnostics, renderDiagnostic, renderDiagnostics } from './render/render-diagnostic.ts';
export { Namer } from './emit/namer.ts';
export type { ArrayBounds, ArrayLayout, ArrayPlan } from './emit/plan-arrays.ts';
export { layoutOfArray, planArrays } from './emit/plan-arrays.ts';
