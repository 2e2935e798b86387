import type { FindingLabel } from '@nccl-ts/findings';
import { loadUses, type Body, type Span } from '@nccl-ts/ir';
import {
  isPolledFlag,
  isPolledLine,
  type Execution,
  type GraphEvent,
  type PolledAccess,
  type RacingPair,
} from '@nccl-ts/memory-model';
import { haveSameWords, isSameStatement, onHardware, sameValue } from '@nccl-ts/backend-sim/internal';
import type { ExploredWorld } from './explored-world.ts';

/** Names a pair of events of one execution. */
export function pairName({ first, second }: RacingPair): string {
  return `${first.id} ${second.id}`;
}

/**
 * Returns the function that judges a race which is not an error; `undefined` if the race is one.
 */
export function judgeOf(
  world: ExploredWorld,
  execution: Execution,
  race: RacingPair,
  left: () => ReadonlySet<string>,
): Judge | undefined {
  const { run } = execution;
  const { first, second } = race;
  // Copies store too, and their labels say what they are.
  const isStore = (event: GraphEvent): boolean =>
    /^(?:store|host write)/.test(world.participants.label(run, event).does);
  if (writesSame(first, second) && isStore(first) && isStore(second)) return { name: 'same', of: sameValue };
  if (readsRepeated(world, execution, race)) return { name: 'same', of: sameValue };
  if (!left().has(pairName(race))) return { name: 'model', of: onHardware };
  const [one, other] = [polledAccess(world, run, first), polledAccess(world, run, second)];
  // Of the flags that threads store, those that no poll's scope includes are left.
  const isArrival =
    (first.coordinates.on === 'network' && isPolledFlag(one, other)) ||
    (second.coordinates.on === 'network' && isPolledFlag(other, one));
  return isPolledLine(one, other) || isArrival ? { name: 'model', of: onHardware } : undefined;
}

/**
 * True if a load returns what the racing store writes, if several threads of a launch perform that
 * store, and if the load comes after that of one of them. If the load may return another value,
 * then it does in another execution, which shows the race.
 */
function readsRepeated(
  { participants, runner }: ExploredWorld,
  { run, consistent }: Execution,
  { first, second }: RacingPair,
): boolean {
  const [load, store] = first.kind === 'read' ? [first, second] : [second, first];
  const [loads, stores] = [participants.label(run, load), participants.label(run, store)];
  if (loads.does !== 'load' || stores.does !== 'store') return false;
  // Such a store races with an earlier look of a wait, which may have seen what it replaces.
  if (consistent.causality.precedes(store, load)) return false;
  if (load.access !== undefined || store.access !== undefined || load.sources === undefined) return false;
  if (load.at !== store.at || load.bytes !== store.bytes) return false;
  if (store.value === undefined || run.valueOf(load, load.sources) !== store.value) return false;
  const same = [...run.graph.writesOver(store.at, store.bytes)].flatMap((write) => {
    if (!write.live || write.at !== store.at || write.value !== store.value || typeof write.site !== 'number')
      return [];
    const label = participants.label(run, write);
    return write.site === store.site || isSameStatement(label, stores) ? [{ write, label }] : [];
  });
  const isBefore = (write: GraphEvent): boolean =>
    write.agent === load.agent ? write.position < load.position : consistent.causality.precedes(write, load);
  if (!same.some(({ write }) => isBefore(write))) return false;
  return same.some((one) =>
    same.some((other) => one.write.agent !== other.write.agent && isOfOneLaunch(runner, one.label, other.label)),
  );
}

/** True if the threads run the same launch of their ranks, such as the first of each. */
function isOfOneLaunch({ launches }: ExploredWorld['runner'], one: FindingLabel, other: FindingLabel): boolean {
  const [first, second] = [one, other].map(
    ({ rank, launch = -1 }) => launches.filter((each) => each.rank === rank && each.id <= launch).length,
  );
  return first === second;
}

/** Converts an event to the form that the rules for polled stores expect. */
function polledAccess(world: ExploredWorld, run: Execution['run'], event: GraphEvent): PolledAccess {
  const { bytes, access } = event;
  const polls = event.kind === 'read' && world.participants.label(run, event).polls === true;
  return { kind: event.kind === 'write' ? 'store' : 'load', bytes, access, polls };
}

interface Judge {
  readonly name: string;
  readonly of: (finding: HardwareQuery) => HardwareQuery;
}

type HardwareQuery = Parameters<typeof onHardware>[0];

/**
 * True if both are plain stores of the same value. Stores of whole words may overlap in some of
 * them, as a vector and a number do.
 */
function writesSame(first: GraphEvent, second: GraphEvent): boolean {
  if (!haveSameWords(first, second)) return false;
  const from = Math.max(first.at, second.at);
  const end = Math.min(first.at + first.bytes, second.at + second.bytes);
  const stored = ({ kind, access, value, at }: GraphEvent): bigint | undefined =>
    kind !== 'write' || access !== undefined || value === undefined
      ? undefined
      : BigInt.asUintN(8 * (end - from), value >> BigInt(8 * (from - at)));
  const value = from < end ? stored(first) : undefined;
  return value !== undefined && value === stored(second);
}

/**
 * True if one of the accesses is a plain load, and its thread performs none of the accesses through
 * which the loaded value would leave it.
 */
export function isUnusedLoad(world: ExploredWorld, { run }: Execution, { first, second }: RacingPair): boolean {
  const { participants, runner } = world;
  return [first, second].some(({ kind, access, agent, site, position }) => {
    const at = typeof site === 'number' ? participants.sites[site] : undefined;
    if (kind !== 'read' || access !== undefined || at?.what !== 'load' || at.polls === true) return false;
    const owner = participants.ownerOf(run, agent);
    // A copy always stores what it loads, and does so by another agent.
    const isThread = owner?.kind === 'thread' && owner.by === undefined;
    const launch = isThread ? runner.launches.find(({ id }) => id === owner.launch) : undefined;
    const uses = launch === undefined ? undefined : usesOf(launch.module.body, at.span);
    // No compiler leaves a load that has no use, so its author wants it.
    if (uses === undefined || uses.size === 0) return false;
    return !run.graph.eventsOf(agent).some((event) => {
      const used = typeof event.site === 'number' ? participants.sites[event.site] : undefined;
      return event.position > position && used !== undefined && uses.has(used.span);
    });
  });
}

const known = new WeakMap<Body, Map<Span, ReadonlySet<Span> | undefined>>();

/**
 * The accesses through which the value of a load leaves its thread; `undefined` if it has other
 * effects.
 */
function usesOf(body: Body, span: Span): ReadonlySet<Span> | undefined {
  const ofBody = known.get(body) ?? new Map<Span, ReadonlySet<Span> | undefined>();
  known.set(body, ofBody);
  if (!ofBody.has(span)) {
    const uses = loadUses(body, span);
    ofBody.set(span, uses === undefined ? undefined : new Set([...uses].map((use) => use.span)));
  }
  return ofBody.get(span);
}
