import type { Case } from './case.ts';
import * as atomicsContention from './cases/atomics/contention.ts';
import * as atomicsOperations from './cases/atomics/operations.ts';
import * as barriersEpochs from './cases/barriers/epochs.ts';
import * as barriersGroups from './cases/barriers/groups.ts';
import * as barriersOrders from './cases/barriers/orders.ts';
import * as barriersSessions from './cases/barriers/sessions.ts';
import * as barriersTimeouts from './cases/barriers/timeouts.ts';
import * as checks from './cases/checks/checks.ts';
import * as conversionsFloats from './cases/conversions/floats.ts';
import * as conversionsIntegers from './cases/conversions/integers.ts';
import * as conversionsLiterals from './cases/conversions/literals.ts';
import * as coops from './cases/coops/coops.ts';
import * as coopsBroadcasts from './cases/coops/broadcasts.ts';
import * as coopsQueries from './cases/coops/queries.ts';
import * as fabricBarriers from './cases/fabric/barriers.ts';
import * as fabricCounted from './cases/fabric/counted.ts';
import * as fabricFences from './cases/fabric/fences.ts';
import * as fabricHostEndpoints from './cases/fabric/host-endpoints.ts';
import * as fabricReductions from './cases/fabric/reductions.ts';
import * as fabricResources from './cases/fabric/resources.ts';
import * as fabricTeams from './cases/fabric/teams.ts';
import * as fabricTransfers from './cases/fabric/transfers.ts';
import * as generic from './cases/generic/generic.ts';
import * as ginBarrierTimes from './cases/gin/barrier-times.ts';
import * as ginBarriers from './cases/gin/barriers.ts';
import * as ginConnections from './cases/gin/connections.ts';
import * as ginContexts from './cases/gin/contexts.ts';
import * as ginCounters from './cases/gin/counters.ts';
import * as ginFlushes from './cases/gin/flushes.ts';
import * as ginGets from './cases/gin/gets.ts';
import * as ginPuts from './cases/gin/puts.ts';
import * as ginRemoteActions from './cases/gin/remote-actions.ts';
import * as ginShadows from './cases/gin/shadows.ts';
import * as ginSignals from './cases/gin/signals.ts';
import * as ginTimeLimits from './cases/gin/time-limits.ts';
import * as ginTransferTraps from './cases/gin/transfer-traps.ts';
import * as ginTraps from './cases/gin/traps.ts';
import * as ginValues from './cases/gin/values.ts';
import * as ginWindows from './cases/gin/windows.ts';
import * as hybridBarriersExchanges from './cases/hybrid-barriers/exchanges.ts';
import * as hybridBarriersSequences from './cases/hybrid-barriers/sequences.ts';
import * as hybridBarriersTimeouts from './cases/hybrid-barriers/timeouts.ts';
import * as languageBranches from './cases/language/branches.ts';
import * as languageInlining from './cases/language/inlining.ts';
import * as languageLoops from './cases/language/loops.ts';
import * as languageVariables from './cases/language/variables.ts';
import * as llA2AEpochs from './cases/ll-a2a/epochs.ts';
import * as llA2AMultimem from './cases/ll-a2a/multimem.ts';
import * as llA2AReceiving from './cases/ll-a2a/receiving.ts';
import * as llA2AReducing from './cases/ll-a2a/reducing.ts';
import * as llA2AValues from './cases/ll-a2a/values.ts';
import * as mathFunctions from './cases/math/functions.ts';
import * as memoryArrays from './cases/memory/arrays.ts';
import * as multimemAddresses from './cases/multimem/addresses.ts';
import * as multimemBarriers from './cases/multimem/barriers.ts';
import * as multimemMisuse from './cases/multimem/misuse.ts';
import * as multimemOperations from './cases/multimem/operations.ts';
import * as multimemResourceBuffers from './cases/multimem/resource-buffers.ts';
import * as pointers from './cases/pointers/pointers.ts';
import * as reduceCopyForms from './cases/reduce-copy/forms.ts';
import * as reduceCopyMultimemForms from './cases/reduce-copy/multimem-forms.ts';
import * as reduceCopyMultimemSums from './cases/reduce-copy/multimem-sums.ts';
import * as reduceCopySums from './cases/reduce-copy/sums.ts';
import * as scalarsFloats from './cases/scalars/floats.ts';
import * as scalarsIntegers from './cases/scalars/integers.ts';
import * as scalarsSmallTypes from './cases/scalars/small-types.ts';
import * as teams from './cases/teams/teams.ts';
import * as trapsBarriers from './cases/traps/barriers.ts';
import * as trapsCoops from './cases/traps/coops.ts';
import * as trapsHybridBarriers from './cases/traps/hybrid-barriers.ts';
import * as trapsLLA2A from './cases/traps/ll-a2a.ts';
import * as trapsPointers from './cases/traps/pointers.ts';
import * as trapsReduceCopy from './cases/traps/reduce-copy.ts';
import * as trapsTeams from './cases/traps/teams.ts';
import * as vectorsBitcasts from './cases/vectors/bitcasts.ts';
import * as vectors from './cases/vectors/vectors.ts';
import * as waitingVectors from './cases/waiting/vectors.ts';
import * as waiting from './cases/waiting/waiting.ts';
import * as warpShuffles from './cases/warp/shuffles.ts';
import * as windowsFindWindow from './cases/windows/find-window.ts';
import * as windowsMemory from './cases/windows/memory.ts';
import * as windowsPointers from './cases/windows/pointers.ts';
import * as windowsRefusals from './cases/windows/refusals.ts';
import * as windowsTeamPointers from './cases/windows/team-pointers.ts';

/** The files with cases. Each of their exports is a case. */
const themes: readonly Readonly<Record<string, Case<CaseId>>>[] = [
  atomicsContention,
  atomicsOperations,
  barriersEpochs,
  barriersGroups,
  barriersOrders,
  barriersSessions,
  barriersTimeouts,
  checks,
  conversionsFloats,
  conversionsIntegers,
  conversionsLiterals,
  coops,
  coopsBroadcasts,
  coopsQueries,
  fabricBarriers,
  fabricCounted,
  fabricFences,
  fabricHostEndpoints,
  fabricReductions,
  fabricResources,
  fabricTeams,
  fabricTransfers,
  generic,
  ginBarrierTimes,
  ginBarriers,
  ginConnections,
  ginContexts,
  ginCounters,
  ginFlushes,
  ginGets,
  ginPuts,
  ginRemoteActions,
  ginShadows,
  ginSignals,
  ginTimeLimits,
  ginTransferTraps,
  ginTraps,
  ginValues,
  ginWindows,
  hybridBarriersExchanges,
  hybridBarriersSequences,
  hybridBarriersTimeouts,
  languageBranches,
  languageInlining,
  languageLoops,
  languageVariables,
  llA2AEpochs,
  llA2AMultimem,
  llA2AReceiving,
  llA2AReducing,
  llA2AValues,
  mathFunctions,
  memoryArrays,
  multimemAddresses,
  multimemBarriers,
  multimemMisuse,
  multimemOperations,
  multimemResourceBuffers,
  pointers,
  reduceCopyForms,
  reduceCopyMultimemForms,
  reduceCopyMultimemSums,
  reduceCopySums,
  scalarsFloats,
  scalarsIntegers,
  scalarsSmallTypes,
  teams,
  trapsBarriers,
  trapsCoops,
  trapsHybridBarriers,
  trapsLLA2A,
  trapsPointers,
  trapsReduceCopy,
  trapsTeams,
  vectorsBitcasts,
  vectors,
  waitingVectors,
  waiting,
  warpShuffles,
  windowsFindWindow,
  windowsMemory,
  windowsPointers,
  windowsRefusals,
  windowsTeamPointers,
];

/** The name of a case, derived from the cases, so a name without a case does not compile. */
export type CaseId = IdsOf<Theme>;

type Theme =
  | typeof atomicsContention
  | typeof atomicsOperations
  | typeof barriersEpochs
  | typeof barriersGroups
  | typeof barriersOrders
  | typeof barriersSessions
  | typeof barriersTimeouts
  | typeof checks
  | typeof conversionsFloats
  | typeof conversionsIntegers
  | typeof conversionsLiterals
  | typeof coops
  | typeof coopsBroadcasts
  | typeof coopsQueries
  | typeof fabricBarriers
  | typeof fabricCounted
  | typeof fabricFences
  | typeof fabricHostEndpoints
  | typeof fabricReductions
  | typeof fabricResources
  | typeof fabricTeams
  | typeof fabricTransfers
  | typeof generic
  | typeof ginBarrierTimes
  | typeof ginBarriers
  | typeof ginConnections
  | typeof ginContexts
  | typeof ginCounters
  | typeof ginFlushes
  | typeof ginGets
  | typeof ginPuts
  | typeof ginRemoteActions
  | typeof ginShadows
  | typeof ginSignals
  | typeof ginTimeLimits
  | typeof ginTransferTraps
  | typeof ginTraps
  | typeof ginValues
  | typeof ginWindows
  | typeof hybridBarriersExchanges
  | typeof hybridBarriersSequences
  | typeof hybridBarriersTimeouts
  | typeof languageBranches
  | typeof languageInlining
  | typeof languageLoops
  | typeof languageVariables
  | typeof llA2AEpochs
  | typeof llA2AMultimem
  | typeof llA2AReceiving
  | typeof llA2AReducing
  | typeof llA2AValues
  | typeof mathFunctions
  | typeof memoryArrays
  | typeof multimemAddresses
  | typeof multimemBarriers
  | typeof multimemMisuse
  | typeof multimemOperations
  | typeof multimemResourceBuffers
  | typeof pointers
  | typeof reduceCopyForms
  | typeof reduceCopyMultimemForms
  | typeof reduceCopyMultimemSums
  | typeof reduceCopySums
  | typeof scalarsFloats
  | typeof scalarsIntegers
  | typeof scalarsSmallTypes
  | typeof teams
  | typeof trapsBarriers
  | typeof trapsCoops
  | typeof trapsHybridBarriers
  | typeof trapsLLA2A
  | typeof trapsPointers
  | typeof trapsReduceCopy
  | typeof trapsTeams
  | typeof vectorsBitcasts
  | typeof vectors
  | typeof waitingVectors
  | typeof waiting
  | typeof warpShuffles
  | typeof windowsFindWindow
  | typeof windowsMemory
  | typeof windowsPointers
  | typeof windowsRefusals
  | typeof windowsTeamPointers;

type IdsOf<T> = T extends unknown
  ? T[keyof T] extends infer C
    ? C extends Case<infer Id>
      ? Id
      : never
    : never
  : never;

/** All cases, by id. */
export const allCases: readonly Case<CaseId>[] = Object.freeze(
  themes.flatMap((theme) => Object.values(theme)).sort((a, b) => (a.id < b.id ? -1 : 1)),
);
