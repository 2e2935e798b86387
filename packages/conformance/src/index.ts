export { allCases } from './all-cases.ts';
export type { CaseId } from './all-cases.ts';
export type {
  BugClass,
  BugClassId,
  BugProgram,
  ExcludedBugClass,
  ExpectedFinding,
  FindingPattern,
} from './bug-classes/bug-class.ts';
export { bugClasses, excludedBugClasses } from './bug-classes/bug-classes.ts';
export type { Case, CaseContext, CaseResults, TeamChoice } from './case.ts';
export { decorateBackend } from './decorate-backend.ts';
export type { WorldDecorator } from './decorate-backend.ts';
export { defineCase } from './define-case.ts';
export type { CaseDefinition } from './define-case.ts';
export type { Expectation, When } from './expectation.ts';
export { expectClose, expectSame, expectThat, expectValues, Mismatch } from './mismatch.ts';
export type { BackendMutant } from './mutants/mutant.ts';
export { mutants } from './mutants/mutants.ts';
export { problemsOf } from './problems-of.ts';
export { recordBackend } from './record-backend.ts';
export type { RecordedBackend } from './record-backend.ts';
export { lockText } from './report.ts';
export type { ConformanceReport } from './report.ts';
export { lacksOf } from './requirements.ts';
export type { Lack, Requirements } from './requirements.ts';
export { caseRuns, runCase } from './run-case.ts';
export type { BackendFactory, CaseOutcome, CaseRun, RunCaseOptions } from './run-case.ts';
export { runConformance } from './run-conformance.ts';
export type { ConformanceOptions } from './run-conformance.ts';
export type { CaseVerdict, FailureCode, Variant, Verdict } from './verdict.ts';
export { shapeName } from './world-shape.ts';
export type { WorldShape } from './world-shape.ts';
export { everyCollectiveCase, pairwiseCollectiveCases } from './collectives/collective-case.ts';
export type { CollectiveCase } from './collectives/collective-case.ts';
export { byShape } from './by-shape.ts';
export type { CasesOfShape } from './by-shape.ts';
export { partsFor } from './collectives/collective-reference.ts';
export type { SentPart } from './collectives/collective-reference.ts';
export { runCollectiveCase, runGroupedCollectiveCase } from './collectives/run-collective-case.ts';
export { normCases } from './norms/norm-case.ts';
export type { NormCase } from './norms/norm-case.ts';
export { runNormCase } from './norms/run-norm-case.ts';
export { runTransferCase } from './transfers/run-transfer-case.ts';
export { transferCases } from './transfers/transfer-case.ts';
export type { TransferCase } from './transfers/transfer-case.ts';
export type { TransferElement } from './transfers/rank-program.ts';
export type { TransferProgram } from './transfers/transfer-programs.ts';
export { wrapAroundOn } from './cases/ll-a2a/exchange-epochs.ts';
export type { WrapAround } from './cases/ll-a2a/exchange-epochs.ts';
