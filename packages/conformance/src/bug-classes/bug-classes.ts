import { cumulativeCounter, putForOthers, sourceNotReleased, sourceReuse } from './put-sources.ts';
import { flushIsLocal, getNotFlushed, lowFence, otherContext, readTooEarly, weakForStrong } from './arrivals.ts';
import { barrierImbalance } from './barrier-imbalance.ts';
import { modeMismatch, participationMismatch } from './barrier-mismatch.ts';
import { staleEpoch, wrongBarrier } from './barrier-places.ts';
import type { BugClass, ExcludedBugClass } from './bug-class.ts';
import { counterReset, lostUpdate } from './counters.ts';
import { mixedSizes, weakPoll } from './flags.ts';
import { fabricCounter, fabricFences, fabricNotFlushed, fabricSource } from './fabric-puts.ts';
import { fabricBarriers } from './fabric-barriers.ts';
import { fabricResources } from './fabric-resources.ts';
import { fabricPulls, fabricReductions } from './fabric-reductions.ts';
import { fabricGet, fabricGroups, fabricRules } from './fabric-rules.ts';
import { missingDependencySync } from './early-launches.ts';
import { barrierOfOneCta, coResidency, cyclicWait } from './grids.ts';
import { otherDomain } from './memory-domains.ts';
import { relaxedLostUpdate } from './relaxed-updates.ts';
import { fenceBeforeMeeting, fenceByWrongThread, noMeetingAfterWait } from './group-releases.ts';
import { doubleWrite, missingEntryBarrier, missingExitBarrier } from './missing-barriers.ts';
import {
  bulkCopies,
  mappingNotReady,
  missingProxyFence,
  nullMulticast,
  partialSums,
  reductionAndStore,
} from './multicast.ts';
import { narrowScope } from './narrow-scopes.ts';
import { lifetime, outsideWindow, overlappingPuts, unreachablePeer, vaSignalMisuse } from './network-rules.ts';
import { noOpBarrier } from './no-op-barriers.ts';
import { payloadFlags } from './payload-flags.ts';
import { baselineRace, incAndAdd, resetRace, rollingCompare, shadowDesync, wrongLeast } from './signal-values.ts';
import { ignoredTimeout } from './time-limits.ts';
import { unwrittenMemory } from './unwritten-memory.ts';
import { weakBarrier } from './weak-barriers.ts';

/** The classes of bugs that a check must report, and the programs that have them. */
export const bugClasses: readonly BugClass[] = Object.freeze([
  missingEntryBarrier,
  missingExitBarrier,
  doubleWrite,
  weakBarrier,
  narrowScope,
  fenceByWrongThread,
  fenceBeforeMeeting,
  noMeetingAfterWait,
  barrierImbalance,
  staleEpoch,
  wrongBarrier,
  modeMismatch,
  participationMismatch,
  barrierOfOneCta,
  coResidency,
  cyclicWait,
  weakPoll,
  mixedSizes,
  lostUpdate,
  counterReset,
  payloadFlags,
  unwrittenMemory,
  noOpBarrier,
  missingDependencySync,
  otherDomain,
  relaxedLostUpdate,
  missingProxyFence,
  nullMulticast,
  partialSums,
  reductionAndStore,
  sourceReuse,
  readTooEarly,
  flushIsLocal,
  weakForStrong,
  cumulativeCounter,
  otherContext,
  lowFence,
  getNotFlushed,
  baselineRace,
  resetRace,
  incAndAdd,
  rollingCompare,
  wrongLeast,
  vaSignalMisuse,
  unreachablePeer,
  sourceNotReleased,
  putForOthers,
  outsideWindow,
  lifetime,
  overlappingPuts,
  shadowDesync,
  ignoredTimeout,
  fabricNotFlushed,
  fabricFences,
  fabricSource,
  fabricCounter,
  fabricGet,
  fabricRules,
  fabricGroups,
  fabricReductions,
  fabricPulls,
  fabricBarriers,
  fabricResources,
]);

/** The classes of bugs that programs of these packages cannot have. */
export const excludedBugClasses: readonly ExcludedBugClass[] = Object.freeze([mappingNotReady, bulkCopies]);
