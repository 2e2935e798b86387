import {
  agentOf,
  Clock,
  scopeWidth,
  type Agent,
  type GroupClocks,
  type HappensBefore,
  type Missing,
  type Race,
  type SeenAccess,
  type Shadow,
  type Snapshot,
} from '@nccl-ts/memory-model';
import type { FabricWatch } from '../fabric/fabric.ts';
import type { FabricOperation, Phase } from '../fabric/operation.ts';
import { elementBytes, elementsOf, nameOf } from '../fabric/reduction.ts';
import type { Caller } from '@nccl-ts/codegen';
import { CheckedCta, type FabricReads } from './cta-watch.ts';
import type { LaunchScope } from './launch-scope.ts';
import type { PostingLaunch } from './episodes.ts';
import { FABRIC, type Participants } from './participants.ts';

/** The agents of a CTA's fabric operations. Each operation has its own stamps in them. */
interface Agents {
  readonly reads: Agent;
  readonly writes: Agent;
  readonly counts: Agent;
  /** Changes the words of sessions in shared memory, which the fabric reaches as threads do. */
  readonly words: Agent;
  stamp: number;
  /** By counter: the writes that it has counted. */
  readonly counted: Map<number, Clock>;
}

/** An operation in flight. */
interface Posted {
  readonly agents: Agents;
  readonly watch: CheckedCta;
  readonly thread: number;
  /** Everything before the call. */
  readonly begin: Snapshot;
  /** The stamp of its read and of the first of its writes. */
  readonly stamp: number;
  readonly parts: number;
  readonly site: number;
  /** The stamps at which it changed words of its session. */
  readonly marks: number[];
  /** The stamp at which its thread submitted it. */
  submitted: number | undefined;
}

/** The end of a phase: the clock of the thread that ended it, and the operations before it. */
interface Ended {
  readonly at: Snapshot;
  readonly covered: readonly Posted[];
}

/**
 * Models the operations of logical endpoints as agents. Each reads and writes on its own, ordered
 * only after its call. A counter publishes the writes that it counts. The end of a phase publishes
 * the operations that were submitted before it.
 */
export class FabricChecker implements FabricWatch, FabricReads {
  readonly #order: HappensBefore;
  readonly #participants: Participants;
  readonly #scope: LaunchScope;
  /** By the CTA's agent. */
  readonly #agents = new Map<number, Agents>();
  readonly #posted = new WeakMap<object, Posted>();
  readonly #ended = new WeakMap<Phase, Ended>();
  /** By session: the submitted operations that no end of a phase covers. */
  readonly #open = new WeakMap<object, Posted[]>();
  /** By agent and stamp. */
  readonly #byStamp = new Map<number, Posted>();
  /** By the agent's number. */
  readonly #owners = new Map<number, number>();
  #by: { readonly caller: Caller; readonly launch: PostingLaunch } | undefined;

  constructor(order: HappensBefore, participants: Participants, scope: LaunchScope) {
    this.#order = order;
    this.#scope = scope;
    this.#participants = participants;
    order.determinacy?.addReason(() =>
      this.#agents.size > 0 ? 'operations of the compute fabric may take effect in another order' : undefined,
    );
  }

  /** Called before a thread uses the fabric. */
  initiating(caller: Caller, launch: PostingLaunch): void {
    this.#by = { caller, launch };
  }

  posted(operation: FabricOperation): void {
    const by = this.#by;
    if (by === undefined || !(by.caller.watch instanceof CheckedCta)) return;
    const { thread, site, cta, watch } = by.caller;
    if (!(watch instanceof CheckedCta)) return;
    const { group } = watch;
    const agents = this.#agentsOf(group);
    const parts = Math.max(operation.unwritten, 1);
    const { stamp } = agents;
    agents.stamp += parts;
    const begin = group.snapshot(thread);
    const posted = { agents, watch, thread, begin, stamp, parts, site, marks: [], submitted: undefined };
    this.#posted.set(operation, posted);
    for (const { index } of [agents.reads, agents.writes])
      for (let part = 0; part < parts; part++) this.#byStamp.set(index * 2 ** 32 + stamp + part, posted);
    const episode = { from: stamp, launch: by.launch.id, purpose: by.launch.purpose, cta, thread };
    const name = nameOf(operation);
    this.#participants.begins(agents.reads.index, { ...episode, does: `${FABRIC}${name} that reads its source` });
    this.#participants.begins(agents.writes.index, { ...episode, does: `${FABRIC}${name} that writes` });
    this.#participants.begins(agents.counts.index, { ...episode, does: `${FABRIC}${name} that counts its bytes` });
    const words = { ...episode, from: agents.words.stamp, does: `${FABRIC}${name} that tracks its progress` };
    this.#participants.begins(agents.words.index, words);
  }

  submitted(operation: FabricOperation, session: object): void {
    const posted = this.#posted.get(operation);
    if (posted === undefined) return;
    posted.submitted = posted.watch.group.stamp++;
    const open = this.#open.get(session) ?? [];
    this.#open.set(session, open);
    open.push(posted);
  }

  arrives(phase: Phase, session: object): void {
    const { watch, thread } = phase.by;
    if (!(watch instanceof CheckedCta)) return;
    const { group } = watch;
    // The next flush covers an operation that this flush need not cover.
    const isCovered = ({ thread: by, submitted }: Posted): boolean =>
      submitted !== undefined && group.isAfter(thread, group.whoBase + by, submitted);
    const open = this.#open.get(session) ?? [];
    const covered = open.filter(isCovered);
    this.#open.set(
      session,
      open.filter((posted) => !covered.includes(posted)),
    );
    this.#agentsOf(group);
    this.#ended.set(phase, { at: group.snapshot(thread), covered });
  }

  reads(operation: FabricOperation, low: number, high: number): void {
    const posted = this.#posted.get(operation);
    if (posted === undefined) return;
    const group = this.#after(posted, posted.agents.reads, posted.stamp);
    if (operation.kind === 'get') this.#scope.accesses(group.rank, low);
    const shadow = operation.kind === 'put' ? posted.watch.sharedShadow : this.#order.shadow;
    if (operation.kind === 'get' && operation.reduction !== undefined) {
      for (const address of elementsOf(operation.reduction, { offset: low, bytes: high - low }))
        this.#order.accesses.read(group, 0, shadow, address, elementBytes(operation.reduction), posted.site);
    } else this.#order.accesses.readRange(group, shadow, low, high, posted.site);
  }

  writes(operation: FabricOperation, part: number, low: number, high: number): void {
    const posted = this.#posted.get(operation);
    if (posted === undefined) return;
    const group = this.#after(posted, posted.agents.writes, posted.stamp + part);
    if (operation.kind === 'put') this.#scope.accesses(group.rank, low);
    const shadow = operation.kind === 'get' ? posted.watch.sharedShadow : this.#order.shadow;
    // A reduction goes through a proxy of its own, so it continues no release sequence.
    if (operation.kind === 'put' && operation.reduction !== undefined) {
      for (const address of elementsOf(operation.reduction, { offset: low, bytes: high - low }))
        this.#order.accesses.write(group, 0, shadow, address, elementBytes(operation.reduction), posted.site);
    } else this.#order.accesses.writeRange(group, shadow, low, high, posted.site);
  }

  /**
   * A thread that reads the counter, and then acquires with a fence, is ordered after the counted
   * bytes.
   */
  counts(operation: FabricOperation, part: number, counter: number): void {
    const posted = this.#posted.get(operation);
    if (posted === undefined) return;
    const { agents, stamp, watch } = posted;
    // A change of a word also stands for the earlier changes of its agent.
    const covered = agents.counted.get(counter) ?? new Clock(0);
    agents.counted.set(counter, covered);
    covered.raiseOne(agents.writes.index, stamp + part);
    const group = this.#alone(posted, agents.counts, stamp + part);
    group.joinClock(0, covered);
    group.fabricReleases(0, 'fabric to generic');
    group.fabricReleases(0, 'fabric to fabric');
    this.#order.fence(group, 0, 'release', scopeWidth('system'));
    // It is also ordered after the call, but does not publish it.
    group.join(0, posted.begin);
    this.#order.update(group, 0, this.#order.shadow, counter, watch.group.sites + posted.site);
  }

  completes(phase: Phase, word: number): void {
    const ended = this.#ended.get(phase);
    const { watch } = phase.by;
    if (ended === undefined || !(watch instanceof CheckedCta)) return;
    const covered = new Clock(0);
    const agents = this.#agentsOf(watch.group);
    for (const { stamp, parts, marks } of ended.covered) {
      covered.raiseOne(agents.reads.index, stamp);
      for (let part = 0; part < parts; part++) covered.raiseOne(agents.writes.index, stamp + part);
      for (const mark of marks) covered.raiseOne(agents.words.index, mark);
    }
    const group = this.#word(watch, agents, ended.at);
    group.joinClock(0, covered);
    // The end of an operation is a proxy fence for its accesses to shared memory.
    group.fenceProxy(0);
    this.#order.fence(group, 0, 'release', scopeWidth('block'));
    this.#update(group, agents, watch.sharedShadow, word, phase.by.site);
  }

  marks(operation: FabricOperation, word: number): void {
    const posted = this.#posted.get(operation);
    if (posted === undefined) return;
    const { agents, watch, begin, site } = posted;
    const group = this.#word(watch, agents, begin);
    posted.marks.push(group.stamp);
    this.#update(group, agents, watch.sharedShadow, word, site);
  }

  hasRead(group: GroupClocks, thread: number, operations: readonly object[]): void {
    const agents = this.#agentsOf(group);
    const covered = new Clock(0);
    for (const operation of operations) {
      const posted = this.#posted.get(operation);
      if (posted !== undefined) covered.raiseOne(agents.reads.index, posted.stamp);
    }
    const reader = this.#order.open({ ...agents.words }, 1, new Clock(0), group.siteBase, group.sites);
    reader.joinClock(0, covered);
    reader.fenceProxy(0);
    group.join(thread, reader.snapshot(0));
    agents.words.stamp = reader.stamp;
  }

  /**
   * The missing synchronization between two accesses, at least one of which belongs to a fabric
   * operation; `undefined` if nothing is missing.
   */
  missing({ now, before, missing }: Race): readonly Missing[] | undefined {
    const owners = [now, before].map((access: SeenAccess) => this.#owners.get(agentOf(access.who)));
    if (owners.every((owner) => owner === undefined)) return undefined;
    const known = missing.filter(({ reason }) => reason === 'acquire' || reason === 'release' || reason === 'strong');
    if (known.length > 0 && owners[1] === undefined) return known;
    const posted = this.#byStamp.get(stampKey(now));
    // A thread of the CTA that had not synchronized with the calling thread.
    const isEarlier = posted !== undefined && owners[0] === agentOf(before.who) && before.stamp < posted.begin.bound;
    return [{ reason: isEarlier ? 'coop-sync' : 'completion' }];
  }

  #agentsOf(group: GroupClocks): Agents {
    const known = this.#agents.get(group.agent);
    if (known !== undefined) return known;
    const { domain } = this.#order.agent(group.agent);
    const init = { rank: group.rank, domain, of: group.agent };
    const agents = {
      reads: this.#order.addAgent({ ...init, kind: 'fabric' }),
      writes: this.#order.addAgent({ ...init, kind: 'fabric' }),
      counts: this.#order.addAgent({ ...init, kind: 'fabric' }),
      words: this.#order.addAgent({ ...init, kind: 'cta' }),
      stamp: 1,
      counted: new Map<number, Clock>(),
    };
    this.#agents.set(group.agent, agents);
    for (const { index } of [agents.reads, agents.writes, agents.counts, agents.words])
      this.#owners.set(index, group.agent);
    return agents;
  }

  /** The agent of a part of an operation, ordered after the call. */
  #after(posted: Posted, agent: Agent, stamp: number): GroupClocks {
    const group = this.#alone(posted, agent, stamp);
    group.join(0, posted.begin);
    return group;
  }

  /** The same agent, ordered after nothing. */
  #alone({ watch }: Posted, agent: Agent, stamp: number): GroupClocks {
    const { siteBase, sites } = watch.group;
    return this.#order.open({ ...agent, stamp }, 1, new Clock(0), siteBase, sites);
  }

  #word({ group: { siteBase, sites } }: CheckedCta, agents: Agents, after: Snapshot): GroupClocks {
    const group = this.#order.open(agents.words, 1, new Clock(0), siteBase, sites);
    group.join(0, after);
    return group;
  }

  #update(group: GroupClocks, agents: Agents, shadow: Shadow, word: number, site: number): void {
    this.#order.update(group, 0, shadow, word, group.sites + site);
    agents.words.stamp = group.stamp + 1;
  }
}

function stampKey({ who, stamp }: SeenAccess): number {
  return agentOf(who) * 2 ** 32 + stamp;
}
