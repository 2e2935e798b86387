import {
  Approximations,
  buildReport,
  describeWord,
  emptyScope,
  findingKey,
  findingOfError,
  joinScopes,
  severityRank,
  wrongResultOf,
  type CheckReport,
  type Finding,
  type FindingBytes,
  type FindingLabel,
  type Proof,
  type ScheduleId,
} from '@nccl-ts/findings';
import {
  earlyWaitsOf,
  explainPair,
  WarpLines,
  type Execution,
  type GraphEvent,
  type RacingPair,
} from '@nccl-ts/memory-model';
import { nonCoherentFidelity } from '@nccl-ts/ir';
import {
  beforeFirstWrite,
  broadcastFinding,
  goneFinding,
  rankMisuseFinding,
  ingredientsOf,
  fenceSide,
  proxyFinding,
  mayLeanOnLines,
  ofLines,
  ofMissedCopy,
  ofMissedStore,
  uninitialised,
  withNearMiss,
} from '@nccl-ts/backend-sim/internal';
import { accessesToGone } from './gone-memory.ts';
import { isShared, offsetInShared } from './cta-state.ts';
import { ISSUED } from './explored-network.ts';
import { executionStory, fenceOf } from './execution-story.ts';
import { executionDeadlock } from './execution-deadlock.ts';
import { isUnusedLoad, judgeOf, pairName } from './race-judgement.ts';
import type { ExploredWorld } from './explored-world.ts';

interface Found {
  finding: Finding;
  seen: number;
}

/** Collects the errors of executions. Each is reported once, however many executions show it. */
export class ExecutionFindings {
  /**
   * By the parts of a sighting that are the same in all executions. The numbers of agents and sites
   * are not: each execution counts its own.
   */
  readonly #found = new Map<string, Found>();
  /** The findings of one execution, by its own numbers. */
  readonly #known = new WeakMap<ExploredWorld, Map<string, Found>>();
  readonly #strict: boolean;
  readonly #onNew: (finding: Finding) => void;
  /** The executed constructs that are not modelled exactly. */
  readonly approximations: Approximations = new Approximations();
  #accesses = 0;
  #executions = 0;
  #needsTime = false;
  #scope = emptyScope;
  /** The last execution. */
  #last: Execution | undefined;

  /**
   * True if an execution only continues when a time limit expires. Such limits are not explored, so
   * this is no deadlock, and not everything has been seen.
   */
  get needsTime(): boolean {
    return this.#needsTime;
  }

  /**
   * With `strict`, findings of severity `model` are errors. `onNew` is called once for each
   * finding, as soon as it is made.
   */
  constructor(strict: boolean, onNew: (finding: Finding) => void) {
    this.#strict = strict;
    this.#onNew = onNew;
  }

  /** The number of executions. */
  get executions(): number {
    return this.#executions;
  }

  /**
   * Called when all executions are explored again. Findings are kept, and are not counted twice.
   */
  restart(): void {
    this.#executions = 0;
    this.#accesses = 0;
  }

  add(world: ExploredWorld, execution: Execution): void {
    this.#executions++;
    this.#last = execution;
    const { run, races, proxyMixes, blocked } = execution;
    // Most executions only show races that are known to be errors. The order of GPUs is computed
    // only if one is not.
    let onGpus: ReadonlySet<string> | undefined;
    const left = (): ReadonlySet<string> => (onGpus ??= new Set(execution.hardwareRaces().map(pairName)));
    for (const { isMemory, live } of run.graph.events) this.#accesses += Number(isMemory && live);
    noteAccesses(world, execution);
    const early = [...earlyWaitsOf(run.graph, execution.consistent.causality, isShared)];
    for (const { read, write } of early) {
      this.#keep(world, `early ${numbersOf(read)} ${numbersOf(write)}`, () => {
        const [now, first] = [world.participants.label(run, read), world.participants.label(run, write)];
        const bytes = bytesOf(world, read.at, read.bytes);
        return { ...beforeFirstWrite({ now, first }), kind: 'uninitialised', labels: [now, first], bytes };
      });
    }
    const isEarly = ({ first, second }: RacingPair): boolean =>
      early.some(({ read, write }) => [first, second].includes(read) && [first, second].includes(write));
    const ofKernels = races.filter((one) => isOfTheKernels(one) && !isEarly(one));
    for (const race of ofKernels.filter((one) => !isUnusedLoad(world, execution, one))) {
      const name = `race ${numbersOf(race.first)} ${numbersOf(race.second)}`;
      const known = this.#known.get(world)?.get(name);
      if (known?.finding.severity === 'error') {
        known.seen++;
        continue;
      }
      const judge = judgeOf(world, execution, race, left);
      this.#keep(world, judge === undefined ? name : `${judge.name} ${name}`, () => {
        const finding = raceFinding(world, execution, race);
        return judge === undefined ? finding : judge.of(finding);
      });
    }
    for (const mix of proxyMixes) {
      const name = `proxy ${numbersOf(mix.first)} ${numbersOf(mix.second)}`;
      this.#keep(world, name, () => mixFinding(world, execution, mix));
    }
    for (const event of run.graph.events) {
      const site = event.kind === 'write' && typeof event.site === 'number' ? event.site : -1;
      if (world.participants.sites[site]?.broadcast === true) {
        this.#keep(world, `broadcast ${numbersOf(event)}`, () =>
          broadcastFinding(world.participants.label(run, event), schedule),
        );
      }
      if (event.kind !== 'read' || event.sources === undefined) continue;
      if (readsStale(world, execution, event)) this.#approximates(world, execution, event);
      if (isBlank(world, run, event, this.#strict)) {
        this.#keep(world, `blank ${numbersOf(event)}`, () => ({
          ...uninitialised(isShared(event.at), this.#strict),
          kind: 'uninitialised',
          labels: [world.participants.label(run, event)],
          bytes: bytesOf(world, event.at, event.bytes),
        }));
      }
    }
    for (const [access, end] of accessesToGone(world, execution)) {
      this.#keep(world, `gone ${numbersOf(access)}`, () =>
        goneFinding([world.participants.label(run, access), world.participants.label(run, end)], schedule),
      );
    }
    const waiting = blocked.filter(({ blocked: by }) => by?.kind === 'wait' || by?.kind === 'meet');
    const { participants } = world;
    const isTimed = waiting.some(({ number }) => {
      const owner = participants.ownerOf(run, number);
      return owner?.kind === 'thread' && owner.isTimed?.() === true;
    });
    this.#needsTime ||= isTimed;
    if (waiting.length > 0 && !isTimed) {
      const deadlock = executionDeadlock(world, execution);
      const key = deadlock.waiting
        .map(({ rank, cta, place: location, threads }) => `${rank} ${cta} ${location?.line} ${threads.join()}`)
        .join();
      const message = 'threads wait for an event that can no longer happen';
      this.#keep(world, `deadlock ${key}`, () => ({ kind: 'deadlock', message, labels: [], deadlock }));
    }
  }

  /**
   * Adds the error of a launch. It has the same form as in sampled runs, so that both report one
   * finding.
   */
  addFault(world: ExploredWorld): void {
    for (const { failure } of world.runner.launches) {
      const finding = failure === undefined ? undefined : findingOfError(failure, schedule);
      if (failure !== undefined && finding !== undefined)
        this.#keep(world, `fault ${failure.message}`, () => this.#onGpus(world, finding));
    }
  }

  /** Adds mismatched calls of ranks. */
  addMisuses(world: ExploredWorld): void {
    for (const misuse of world.misuses) {
      this.#keep(world, `misuse ${misuse.error.message}`, () => rankMisuseFinding(misuse, schedule));
    }
  }

  /**
   * Adds an error of a host program. Returns true if it is about a wrong result, which is a
   * finding.
   */
  addThrown(world: ExploredWorld, error: unknown): boolean {
    const wrong = wrongResultOf(error);
    const finding = wrong === undefined ? undefined : findingOfError(wrong, schedule);
    if (finding !== undefined) this.#keep(world, `result ${finding.message}`, () => this.#onGpus(world, finding));
    return finding !== undefined;
  }

  /**
   * A wrong result, judged by the order of GPUs if a line of 128 bytes was seen in part, or if a
   * read has missed a store that comes before it there.
   */
  #onGpus(world: ExploredWorld, finding: Finding): Finding {
    const last = this.#last;
    if (last === undefined || !mayLeanOnLines(finding)) return finding;
    const { run, consistent } = last;
    const store = new WarpLines(run.graph).torn((x, y) => consistent.causality.base(x, y));
    if (store !== undefined) return ofLines(finding, world.participants.label(run, store));
    if (last.proxyMixes.some((mix) => isMissedStore(last, mix))) return ofMissedCopy(finding);
    const stale = last.staleOnGpus();
    return stale === undefined ? finding : ofMissedStore(finding, world.participants.label(run, stale.read));
  }

  /** Adds the launches of a run, whether or not it led to an execution. */
  addScope(world: ExploredWorld): void {
    this.#scope = joinScopes([this.#scope, world.scope.value]);
  }

  /** `bound` is the bound that was reached; absent if everything was explored. */
  report(bound: string | undefined): CheckReport {
    const found = [...this.#found.values()];
    const run = {
      findings: found.map(({ finding }) => finding),
      seen: found.map(({ seen }) => seen),
      accesses: this.#accesses,
      scope: this.#scope,
      approximations: this.approximations.list,
    };
    const proves: Proof =
      bound === undefined ? { kind: 'all schedules', count: this.#executions } : { kind: 'nothing', bound };
    return buildReport({ runs: [run], proves, strict: this.#strict });
  }

  #approximates(world: ExploredWorld, { run }: Execution, event: GraphEvent): void {
    const { place: location } = world.participants.label(run, event);
    const { how } = nonCoherentFidelity;
    this.approximations.add(location === undefined ? { how } : { how, place: location });
  }

  /** `name` distinguishes a finding from all others of the same execution. */
  #keep(
    world: ExploredWorld,
    name: string,
    make: () => Pick<Finding, 'kind' | 'message' | 'labels'> & Partial<Finding>,
  ): void {
    let here = this.#known.get(world);
    if (here === undefined) {
      here = new Map();
      this.#known.set(world, here);
    }
    const known = here.get(name) ?? this.#foundAs(make());
    here.set(name, known);
    known.seen++;
  }

  #foundAs(made: Pick<Finding, 'kind' | 'message' | 'labels'> & Partial<Finding>): Found {
    const given: Finding = {
      severity: 'error',
      missing: Object.freeze([]),
      certainty: 'this schedule',
      schedule,
      ...made,
    };
    const isRaised = this.#strict && given.severity === 'model';
    const finding: Finding = Object.freeze(isRaised ? { ...given, severity: 'error' } : given);
    const key = findingKey(finding);
    const known = this.#found.get(key);
    if (known !== undefined) {
      // The worst sighting is reported.
      if (severityRank[finding.severity] < severityRank[known.finding.severity]) known.finding = finding;
      return known;
    }
    const found = { finding, seen: 0 };
    this.#found.set(key, found);
    this.#onNew(finding);
    return found;
  }
}

/** Notes if kernels, or the network for them, access the memory of other ranks. */
function noteAccesses(world: ExploredWorld, { run }: Execution): void {
  if (world.scope.doesCommunicate) return;
  for (const { agent, at, isMemory, live, site } of run.graph.events) {
    if (!isMemory || !live || isShared(at)) continue;
    const owner = world.participants.ownerOf(run, agent);
    if (owner?.kind === 'thread' || owner?.kind === 'network')
      world.scope.accesses(owner.rank, at, typeof site === 'number' ? site : undefined);
  }
}

const schedule: ScheduleId = Object.freeze({ strategy: 'exhaustive', seed: 0 });

/** The device API itself counts requests, and is not checked. */
function isOfTheKernels({ first, second }: RacingPair): boolean {
  return first.site !== ISSUED && second.site !== ISSUED;
}

/** Identifies a participant within one execution. */
function numbersOf({ agent, site, kind }: Pick<GraphEvent, 'agent' | 'site' | 'kind'>): string {
  return `${agent} ${site} ${kind}`;
}

/**
 * True if a thread reads bytes that were never written. Copies are not reported, because they may
 * take more bytes than are used. Global memory is filled with zeros, and many programs rely on it,
 * so it only counts under `strict`.
 */
function isBlank(
  world: ExploredWorld,
  run: Execution['run'],
  { agent, at, sources = [] }: GraphEvent,
  strict: boolean,
): boolean {
  if (!isShared(at) && !strict) return false;
  const blank = sources.filter(({ write }) => write.kind === 'initial');
  if (blank.length === 0) return false;
  const owner = world.participants.ownerOf(run, agent);
  if (owner?.kind !== 'thread' || owner.by !== undefined) return false;
  return isShared(at) || blank.some(({ offset, bytes }) => !world.hasContents(at + offset, bytes));
}

function raceFinding(
  world: ExploredWorld,
  execution: Execution,
  { first, second }: RacingPair,
): Pick<Finding, 'kind' | 'message' | 'labels' | 'bytes' | 'missing'> {
  const { run, consistent } = execution;
  const { now, before, missing } = explainPair(run.graph, consistent.causality, { first, second });
  const [label, other] = [world.participants.label(run, now), world.participants.label(run, before)];
  const labels = [label, other];
  const at = Math.max(first.at, second.at);
  return {
    kind: 'race',
    message: `${labels.map(articled).join(' and ')} of the same bytes are not ordered`,
    labels,
    missing: withNearMiss(
      ingredientsOf(
        label,
        other,
        missing.map(({ reason, at: where }) => {
          const by = where === undefined ? undefined : world.participants.label(run, where);
          const hasFence = where !== undefined && reason === 'scope';
          return { reason, at: by, fence: hasFence ? fenceOf(world, run, where, fenceSide(by)) : undefined };
        }),
        { isShared: isShared(at), overlap: world.streams.overlap },
      ),
      labels,
      () => executionStory(world, execution, now, before),
    ),
    bytes: bytesOf(world, at, Math.min(first.at + first.bytes, second.at + second.bytes) - at),
  };
}

/** True if GPUs may serve a load from a cache, though its launch has stored to the bytes since. */
function readsStale(world: ExploredWorld, { run, consistent }: Execution, event: GraphEvent): boolean {
  const { agent, sources = [], site } = event;
  if (typeof site !== 'number' || world.participants.sites[site]?.isNonCoherent !== true) return false;
  const begin = run.graph.events.find((one) => one.agent === agent);
  if (begin === undefined) return false;
  return sources.some(({ write }) => write.kind === 'write' && !consistent.causality.base(write, begin));
}

/** True if a bulk copy does not read a store to global memory that comes before it. */
function isMissedStore({ consistent: { causality } }: Execution, { first, second }: RacingPair): boolean {
  const [read, write] = first.kind === 'read' ? [first, second] : [second, first];
  if (isShared(read.at) || first.coordinates.proxy === 'fabric' || second.coordinates.proxy === 'fabric') return false;
  if (read.kind !== 'read' || write.kind !== 'write' || !causality.precedesByThreads(write, read)) return false;
  return (
    read.sources?.some((source) => source.write !== write && !causality.precedesByThreads(write, source.write)) === true
  );
}

/** Two accesses through different proxies, without a proxy fence in between. */
function mixFinding(
  world: ExploredWorld,
  { run, consistent }: Execution,
  { first, second }: RacingPair,
): Omit<Finding, 'schedule'> {
  const [before, now] = consistent.causality.base(second, first) ? [second, first] : [first, second];
  const labels = { now: world.participants.label(run, now), before: world.participants.label(run, before) };
  const at = Math.max(first.at, second.at);
  const bytes = bytesOf(world, at, Math.min(first.at + first.bytes, second.at + second.bytes) - at);
  const isFabric = first.coordinates.proxy === 'fabric' || second.coordinates.proxy === 'fabric';
  // In strict mode, `ExecutionFindings` makes this an error.
  return proxyFinding(isFabric ? 'fabric' : 'async', labels, bytes, isShared(at), false);
}

function articled({ does }: FindingLabel): string {
  return `${/^[aeiou]/.test(does) ? 'an' : 'a'} ${does}`;
}

function bytesOf(world: ExploredWorld, address: number, bytes: number): FindingBytes {
  const word = isShared(address)
    ? ({ address: offsetInShared(address), region: 0, space: 'shared', type: 'u32', value: 0 } as const)
    : ({ address, region: 0, space: 'global', type: 'u32', value: 0 } as const);
  return Object.freeze({ place: describeWord(word, () => world.memory.byteAt(address)), bytes });
}
