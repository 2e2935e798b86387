import { scopeWidth, type ScopeWidth } from '../scope.ts';
import type { AttemptedRead } from './attempted-read.ts';
import { synchronises } from './causality.ts';
import { bitsOf, Deferred, ReadToken, after, known, type Later } from './deferred.ts';
import { EventLimit } from './event-limit.ts';
import { ExecutionGraph } from './execution-graph.ts';
import type { EventInit, GraphEvent, ReadSource } from './graph-event.ts';
import { Meetings, type LateMeeting } from './meetings.ts';
import type {
  Access,
  AgentProgram,
  ByteRange,
  UpdateFunction,
  BarrierContribution,
  Request,
  Site,
  SpawnedAfter,
} from './requests.ts';
import type { InitialValue, RunObserver } from './run-observer.ts';
import type { PendingRead, RunningAgent } from './running-agent.ts';

/**
 * An execution in progress. Agents run until they need the value of a read, and writes and fences
 * take place immediately. The caller decides the sources of reads by `bind` and `pass`.
 */
export class Run {
  readonly graph: ExecutionGraph = new ExecutionGraph();
  readonly pending: PendingRead[] = [];
  readonly agents: RunningAgent[] = [];
  readonly initialValue: InitialValue;
  readonly #observer: RunObserver;
  /**
   * Writes whose values are not known or not examined yet. `undefined` for one that writes nothing.
   */
  readonly #valueless: { readonly event: GraphEvent; readonly value: Later<bigint | undefined> }[] = [];
  /** The decisions on which a bound read and its sources depend. */
  readonly #tokenNeeds = new WeakMap<ReadToken, bigint>();
  readonly #meetings = new Meetings();
  #decisions = 0;
  #clock = 0;
  #synchronised = 0;
  #looseReads = 0;

  constructor(initialValue: InitialValue, observer: RunObserver) {
    this.initialValue = initialValue;
    this.#observer = observer;
    this.graph.initial.since = 0;
  }

  /** Counts writes as they become available. */
  get clock(): number {
    return this.#clock;
  }

  /** Counts the decisions that may have changed base causality among the existing events. */
  get synchronised(): number {
    return this.#synchronised;
  }

  /**
   * The number of bound strong reads that ended no wait. Later events need not depend on their
   * values, even if the reads order these events.
   */
  get looseReads(): number {
    return this.#looseReads;
  }

  /** Starts an agent after everything that `parents` have done. */
  start(program: AgentProgram, parents: readonly GraphEvent[] = [], control = 0n, posted?: GraphEvent): number {
    const number = this.graph.addAgent(program.coordinates);
    const begin = this.graph.add(number, { kind: 'point', site: 'start' });
    begin.exists = control;
    begin.needs = control;
    begin.follows.push(...parents);
    begin.posted = posted;
    this.agents.push({
      number,
      program,
      steps: program.start(),
      control,
      blocked: undefined,
      decision: -1,
      postponed: -1,
      refused: -1,
      forbidden: new Set(),
      answer: undefined,
      ended: false,
      result: undefined,
    });
    return number;
  }

  /** Adds an agent without a program. The caller adds its events by `perform` and `point`. */
  addOutside(program: AgentProgram): number {
    const number = this.start(program);
    this.agent(number).ended = true;
    return number;
  }

  /** Performs a request without a result for an agent without a program. */
  perform(number: number, request: Extract<Request, { kind: 'write' | 'fence' }>): void {
    this.#request(this.agent(number), request);
  }

  /** Reads for an agent without a program. The value may be deferred. */
  performRead(number: number, request: Extract<Request, { kind: 'read' }>): Deferred<bigint> {
    return this.#read(this.agent(number), request);
  }

  /** Orders an agent without a program after events, or after the last events of agents. */
  point(number: number, events: readonly GraphEvent[], joined: readonly number[], site: Site): GraphEvent {
    const agent = this.agent(number);
    for (const other of joined) agent.control |= this.agent(other).control;
    const point = this.#add(agent, { kind: 'point', site });
    point.follows.push(...events);
    for (const other of joined) {
      const last = this.graph.eventsOf(other).at(-1);
      if (last !== undefined) point.follows.push(last);
    }
    return point;
  }

  /** The number of the agent that runs a program. */
  numberOf(program: AgentProgram): number {
    const agent = this.agents.find((one) => one.program === program);
    if (agent === undefined) throw new RangeError(`No agent runs the program ${program.name}.`);
    return agent.number;
  }

  agent(number: number): RunningAgent {
    const agent = this.agents[number - 1];
    if (agent === undefined) throw new RangeError(`There is no agent ${number}.`);
    return agent;
  }

  /**
   * Counts work of an agent that adds no event, in clock entries, such as the rounds of a loop.
   *
   * @throws SpaceLimit if that exceeds a limit for all runs together; the agent must not catch it.
   */
  spend(entries: number): void {
    this.graph.work += entries;
    this.#observer.onSpent();
  }

  /** Runs every agent as far as possible. Returns true if any agent has made progress. */
  advance(limit: number): boolean {
    let any = false;
    for (let moved = true; moved;) {
      moved = false;
      // Agents may be added meanwhile.
      for (let index = 0; index < this.agents.length; index++) {
        const agent = this.agents[index];
        if (agent === undefined || agent.ended || !this.#canGoOn(agent)) continue;
        this.#step(agent, limit);
        moved = any = true;
      }
    }
    return any;
  }

  get lateMeeting(): LateMeeting | undefined {
    return this.#meetings.late;
  }

  /** Releases these agents of a barrier; returns the number of that decision. */
  meetBy({ meeting }: LateMeeting, completion: readonly number[]): number {
    const decision = this.#decisions++;
    this.#release(meeting, completion, bit(decision));
    return decision;
  }

  /** Decides the sources of a read. */
  bind(read: PendingRead, sources: readonly ReadSource[]): void {
    read.event.sources = sources;
    if (synchronises(read.event, sources)) this.#synchronised++;
    if (read.event.access !== undefined) this.#looseReads++;
    this.pending.splice(this.pending.indexOf(read), 1);
    read.token.value = this.valueOf(read.event, sources);
    this.#tokenNeeds.set(read.token, this.#needsOf(read.needs | bit(read.token.decision), sources));
    const { partner } = read.event;
    if (partner !== undefined && read.change !== undefined) {
      const { change, token } = read;
      partner.needs |= this.#needsOfToken(token);
      this.#valueless.push({ event: partner, value: after([change], () => known(change)(bitsOf(token))) });
    }
    this.#settle();
  }

  /** Ends a blocked wait by an attempt, whose reads now become events. */
  pass(agent: RunningAgent, reads: readonly AttemptedRead[]): readonly GraphEvent[] {
    let needs = agent.control | bit(agent.decision);
    this.#synchronised++;
    const waitsFrom = this.graph.eventsOf(agent.number).length;
    const events = reads.map((read) => Object.assign(this.tryRead(agent, read), { waitsFrom }));
    for (const { sources } of reads) needs = this.#needsOf(needs, sources);
    agent.control = needs;
    agent.blocked = undefined;
    agent.decision = -1;
    return events;
  }

  valueOf(read: Pick<GraphEvent, 'at' | 'bytes'>, sources: readonly ReadSource[]): bigint {
    let bits = 0n;
    for (const source of sources) bits |= this.graph.bitsOf(read, source, this.initialValue);
    return bits;
  }

  /** Adds the reads of an attempt as events while it is examined; `forgetTo` removes them. */
  tryRead(agent: RunningAgent, { range, access, site, sources }: AttemptedRead): GraphEvent {
    const event = this.#addAccess(agent, 'read', range, access, site);
    event.sources = sources;
    event.decision = agent.decision;
    return event;
  }

  /** Removes the newest events until only `count` remain. */
  forgetTo(count: number): void {
    while (this.graph.events.length > count) this.graph.removeLast();
  }

  /** The agents that are blocked by a wait. */
  get waiting(): readonly RunningAgent[] {
    return this.agents.filter(({ blocked }) => blocked?.kind === 'wait');
  }

  /** Reads that an agent cannot continue without. */
  get forced(): ReadonlySet<ReadToken> {
    const tokens = new Set<ReadToken>();
    for (const { blocked } of this.agents) {
      if (blocked?.kind !== 'use') continue;
      for (const value of blocked.values) {
        if (value instanceof Deferred) for (const token of value.reads) tokens.add(token);
      }
    }
    return tokens;
  }

  /** @throws RangeError for a read that is not bound. */
  #needsOfToken(token: ReadToken): bigint {
    const needs = this.#tokenNeeds.get(token);
    if (needs === undefined) throw new RangeError(`The read of decision ${token.decision} is not bound yet.`);
    return needs;
  }

  #needsOf(needs: bigint, sources: readonly ReadSource[]): bigint {
    let all = needs;
    for (const { write } of sources) all |= write.needs;
    return all;
  }

  #canGoOn(agent: RunningAgent): boolean {
    const { blocked } = agent;
    switch (blocked?.kind) {
      case undefined:
        return true;
      case 'use': {
        if (!blocked.values.every((value) => !(value instanceof Deferred) || value.known)) return false;
        for (const value of blocked.values) {
          if (value instanceof Deferred) for (const token of value.reads) agent.control |= this.#needsOfToken(token);
        }
        agent.blocked = undefined;
        return true;
      }
      case 'meet':
        return blocked.meeting.isLate !== true && this.#canMeet(blocked.meeting);
      case 'join': {
        const numbers = typeof blocked.agents === 'function' ? blocked.agents() : blocked.agents;
        if (numbers === undefined) return false;
        const joined = numbers.map((number) => this.agent(number));
        if (!joined.every(({ ended }) => ended)) return false;
        for (const { control } of joined) agent.control |= control;
        const point = this.#add(agent, { kind: 'point', site: blocked.site });
        for (const { number } of blocked.orders ? joined : []) point.follows.push(...this.#lastOf(number));
        agent.blocked = undefined;
        return true;
      }
      case 'wait':
      case 'read':
      case 'write':
      case 'modify':
      case 'fence':
      case 'fenceProxy':
      case 'spawn':
      case 'open':
      case 'as':
        return false;
    }
  }

  #canMeet(meeting: BarrierContribution): boolean {
    const [completion] = this.#meetings.completions(meeting);
    if (completion !== undefined) this.#release(meeting, completion, 0n);
    return completion !== undefined;
  }

  #release(meeting: BarrierContribution, completion: readonly number[], decision: bigint): void {
    const { members, given, control } = this.#meetings.take(meeting, completion);
    const arrivals = members.map((member) => this.#add(member, { kind: 'point', site: 'arrive' }));
    for (const member of members) {
      member.control = control | decision;
      const leave = this.#add(member, { kind: 'point', site: 'leave' });
      if (meeting.orders !== false) leave.meets = arrivals;
      member.blocked = undefined;
      member.answer = given;
    }
  }

  #step(agent: RunningAgent, limit: number): void {
    for (;;) {
      if (this.graph.events.length > limit) throw new EventLimit();
      const { answer } = agent;
      agent.answer = undefined;
      const next = agent.steps.next(answer);
      if (next.done === true) {
        agent.ended = true;
        agent.result = next.value;
        this.#add(agent, { kind: 'point', site: 'end' });
        return;
      }
      if (!this.#request(agent, next.value)) {
        agent.blocked = next.value;
        return;
      }
    }
  }

  /** Performs a request of an agent; returns true if it can continue immediately. */
  #request(agent: RunningAgent, request: Request): boolean {
    switch (request.kind) {
      case 'read':
        agent.answer = this.#read(agent, request);
        return true;
      case 'write': {
        const event = this.#addAccess(agent, 'write', request.range, request.access, request.site);
        this.#valueless.push({ event, value: request.value });
        this.#settle();
        return true;
      }
      case 'modify':
        agent.answer = this.#modify(agent, request);
        return true;
      case 'fence':
        if (request.access.order !== 'relaxed') {
          this.#add(agent, { kind: 'fence', access: request.access, site: request.site });
        }
        return true;
      case 'fenceProxy':
        this.#add(agent, { kind: 'proxy', site: request.site, bridges: request.bridges });
        return true;
      case 'use':
        return (
          request.values.every((value) => !(value instanceof Deferred) || value.known) && this.#useNow(agent, request)
        );
      case 'wait':
        agent.decision = this.#decisions++;
        agent.postponed = -1;
        agent.refused = -1;
        agent.forbidden.clear();
        return false;
      case 'meet':
        this.#meetings.arrive(agent, request.meeting);
        return false;
      case 'spawn': {
        const point = this.#spawns(agent, request.after);
        const parents = point === undefined ? [] : [point];
        const posted = this.graph.eventsOf(agent.number).at(-1);
        agent.answer = request.programs.map((program) => this.start(program, parents, agent.control, posted));
        return true;
      }
      case 'join':
        return false;
      case 'open': {
        const before = request.after.flatMap((other) => this.#lastOf(other));
        const parents = [this.#add(agent, { kind: 'point', site: 'spawn' }), ...before];
        agent.answer = request.programs.map((program) => {
          const number = this.start(program, parents, agent.control);
          this.agent(number).ended = true;
          return number;
        });
        return true;
      }
      case 'as': {
        const other = this.agent(request.agent);
        other.control |= agent.control;
        const isDone = this.#request(other, request.request);
        agent.answer = other.answer;
        other.answer = undefined;
        return isDone;
      }
    }
  }

  /** The last event of an agent that comes before all that it spawns. */
  #spawns(agent: RunningAgent, how: SpawnedAfter): GraphEvent | undefined {
    switch (how) {
      case 'everything':
        return this.#add(agent, { kind: 'point', site: 'spawn' });
      case 'releases':
        return this.#released(agent, scopeWidth('device'));
      case 'releases to its cluster':
        return this.#released(agent, scopeWidth('cluster'));
      case 'nothing':
        return undefined;
    }
  }

  /**
   * The last event of an agent, if it has one. After a read this is a point, which exists whatever
   * the read is bound to.
   */
  #lastOf(number: number): readonly GraphEvent[] {
    const last = this.graph.eventsOf(number).slice(-1);
    return last[0]?.kind === 'read' ? [this.#add(this.agent(number), { kind: 'point', site: 'end' })] : last;
  }

  /** The agent's last releasing fence of this scope or wider. */
  #released({ number }: RunningAgent, width: ScopeWidth): GraphEvent | undefined {
    const fits = ({ kind, releases, access }: GraphEvent): boolean =>
      kind === 'fence' && releases && access !== undefined && scopeWidth(access.scope) >= width;
    return this.graph.eventsOf(number).findLast(fits);
  }

  #useNow(agent: RunningAgent, { values }: Extract<Request, { kind: 'use' }>): boolean {
    for (const value of values) {
      if (value instanceof Deferred) for (const token of value.reads) agent.control |= this.#needsOfToken(token);
    }
    return true;
  }

  #read(agent: RunningAgent, { range, access, site }: Extract<Request, { kind: 'read' }>): Deferred<bigint> {
    const event = this.#addAccess(agent, 'read', range, access, site);
    return this.#pend(agent, event, undefined);
  }

  #modify(agent: RunningAgent, request: Extract<Request, { kind: 'modify' }>): Deferred<bigint> {
    const { range, access, site, change, always } = request;
    const event = this.#addAccess(agent, 'read', range, access, site);
    const write = this.#add(agent, { kind: 'write', ...range, access, site });
    event.partner = write;
    write.partner = event;
    write.live = always;
    return this.#pend(agent, event, change);
  }

  #pend(agent: RunningAgent, event: GraphEvent, change: Later<UpdateFunction> | undefined): Deferred<bigint> {
    const token = new ReadToken(this.#decisions++);
    event.decision = token.decision;
    this.pending.push({ event, token, needs: agent.control, change, postponed: -1, refused: -1 });
    return new Deferred([token], () => bitsOf(token));
  }

  #add(agent: RunningAgent, init: EventInit): GraphEvent {
    const event = this.graph.add(agent.number, init);
    event.exists = agent.control;
    event.needs = agent.control;
    return event;
  }

  /** Adds an access. A sequentially consistent one follows a fence of its scope. */
  #addAccess(
    agent: RunningAgent,
    kind: 'read' | 'write',
    range: ByteRange,
    access: Access | undefined,
    site: Site,
  ): GraphEvent {
    if (access?.order === 'seq_cst') this.#add(agent, { kind: 'fence', access, site });
    return this.#add(agent, { kind, ...range, access, site });
  }

  #write(event: GraphEvent, value: bigint | undefined): void {
    event.live = value !== undefined;
    if (value === undefined) return;
    event.value = BigInt.asUintN(8 * event.bytes, value);
    event.since = ++this.#clock;
    this.#observer.onWrite(event);
  }

  /** Sets the values of writes, as far as they are known. */
  #settle(): void {
    for (let moved = true; moved;) {
      moved = false;
      for (const [index, { event, value }] of this.#valueless.entries()) {
        if (value instanceof Deferred && !value.known) continue;
        this.#valueless.splice(index, 1);
        if (value instanceof Deferred) for (const token of value.reads) event.needs |= this.#needsOfToken(token);
        // The same decides if it writes at all.
        if (!event.live) event.exists |= event.needs;
        this.#write(event, known(value));
        moved = true;
        break;
      }
    }
  }
}

function bit(decision: number): bigint {
  return 1n << BigInt(decision);
}
