export {
  buildDeadlock,
  type DeadlockInput,
  type LaunchOutcome,
  type ParkedCta,
  type RankOutcome,
} from './build-deadlock.ts';
export { buildFault, type FaultInput } from './build-fault.ts';
export { approximationText, Approximations, type Approximation } from './check/approximation.ts';
export {
  buildReport,
  ReportBuilder,
  severityRank,
  type CheckedRun,
  type ReportInput,
  type ReportOptions,
} from './check/build-report.ts';
export { worstOfRanks, type RanksCheck } from './check/by-ranks.ts';
export type { RanksOutcome } from './check/ranks-outcome.ts';
export type { CheckReport } from './check/check-report.ts';
export type { Proof, ProofPart } from './check/proof.ts';
export { emptyScope, joinScopes, rankCountsOf, type CheckedScope, type LaunchShape } from './check/checked-scope.ts';
export { combineReports } from './check/combine-reports.ts';
export { concludeCheck, noLaunch, type CheckEnd } from './check/conclude-check.ts';
export {
  findingKinds,
  type FindingKind,
  type FindingKindFacts,
  type FindingText,
  type Verdict,
} from './check/finding-kinds.ts';
export { exitCodeOf } from './check/exit-code-of.ts';
export { findingFingerprint } from './check/finding-fingerprint.ts';
export { WrongResultError, wrongResultOf, type WrongResult } from './wrong-result-error.ts';
export { findingOfError } from './check/finding-of-error.ts';
export { missingHelp, type MissingText } from './check/finding-words.ts';
export type { Fix, FixEdit } from './fix/fix.ts';
export { fixOf } from './fix/fix-of.ts';
export { findingKey } from './check/finding-key.ts';
export { isUnknownOnGpus } from './check/is-unknown-on-gpus.ts';
export {
  SpreadOf,
  type BytesSpread,
  type FindingSpread,
  type LabelSpread,
  type Participant,
} from './check/finding-spread.ts';
export type { Finding, FindingBytes, MissingIngredient, MissingKind, ScheduleId, Severity } from './check/finding.ts';
export type { LocationJson } from './check/location-json.ts';
export { renderFinding, type Sightings } from './check/render-finding.ts';
export { renderProof, renderReport, renderVerdict } from './check/render-report.ts';
export { ranksText, scopeText } from './check/scope-text.ts';
export {
  CHECK_REPORT_SCHEMA,
  CHECK_REPORT_VERSION,
  findingJson,
  reportToJson,
  type CheckReportJson,
  type FindingJson,
  type LabelJson,
  type MissingJson,
} from './check/report-to-json.ts';
export { reportToSarif, type SarifOptions } from './check/report-to-sarif.ts';
export type { SourceFix } from './check/sarif-fix.ts';
export type {
  SarifDriver,
  SarifInvocation,
  SarifArtifact,
  SarifFix,
  SarifLevel,
  SarifLocation,
  SarifLog,
  SarifRegion,
  SarifResult,
  SarifRule,
  SarifRun,
  SarifText,
  SarifThreadFlow,
} from './check/sarif-log.ts';
export { shrink, type ShrinkInput, type ShrinkOptions, type Shrunk } from './check/shrink.ts';
export { diagnosticsToJson, type DiagnosticJson } from './diagnostics-to-json.ts';
export { DeadlockError } from './deadlock-error.ts';
export type {
  AwaitedWord,
  DeadlockReport,
  MissingRank,
  MissingReason,
  QueuedLaunch,
  UnstartedCtas,
  WaitingThreads,
} from './deadlock-report.ts';
export { describeAccess, type WindowFinder } from './describe-access.ts';
export { describeWord, type LocatedWord } from './describe-word.ts';
export { FaultError } from './fault-error.ts';
export type { FaultReport, FaultyAccess, PeerOfNobody } from './fault-report.ts';
export type { Fault, FaultKind } from './fault.ts';
export { locationName, quotedLocation, quotedCallSite, type QuotedLocation } from './quoted-location.ts';
export { languageOf, type SourceLanguage } from './source-language.ts';
export { outOfFuel, type SpentCta } from './out-of-fuel.ts';
export { deadlockHelp, renderDeadlock } from './render-deadlock.ts';
export { renderFault } from './render-fault.ts';
export type { Site, SiteAccess } from './site.ts';
export type { WaitedWord, Waiting } from './waiting.ts';
export type { ValueRead, WordChange, WordHistory } from './word-history.ts';
export { isAboveIn } from './is-above.ts';
export { barrierCall, shownPosition } from './shown-span.ts';
export { wordText } from './word-text.ts';
export type { WindowByte } from './window-byte.ts';
export type { LsaInbox } from './lsa-inbox.ts';
export type { LsaInboxWord, WindowWord, WordMeaning } from './word-meaning.ts';
export type { FindingLabel } from './finding-label.ts';
