import type { Candidate } from './candidate.ts';
import { Relation } from './relation.ts';

/** The relations that an allowed execution adds to its candidate. */
export type Execution = Readonly<{
  rf: Relation;
  /** Coherence: only the pairs that the model requires, transitively closed. */
  co: Relation;
  cause: Relation;
}>;

type Visit = (execution: Execution) => void;

/**
 * Visits every execution of `candidate` in which reads take their values by `rf`. It covers all
 * orders of morally strong fence.sc's and of morally strong writes to one location. Two writes stay
 * unrelated if the model allows that, because more coherence would only forbid more.
 */
export function consistentExecutions(candidate: Candidate, rf: Relation, visit: Visit): void {
  const { events, po, poLoc, ms, rmw, dep, meets, releasing, acquiring } = candidate;
  if (!rf.union(dep).isAcyclic()) return;

  const direct = ms.intersection(rf);
  // A part of the coherence check below. Done here, it saves most of the work.
  if (!direct.union(poLoc).isAcyclic()) return;
  let observation = direct;
  for (let longer = extended(direct, rmw, observation); !longer.equals(observation);) {
    observation = longer;
    longer = extended(direct, rmw, observation);
  }
  const patterns = ms.intersection(releasing.then(observation).then(acquiring));
  const synchronizes = patterns.union(meets);
  const around = po.reflexive();
  const baseWith = (sc: Relation): Relation => around.then(synchronizes.union(sc)).then(around).closure();

  const fences = events.flatMap(({ sequential }, event) => (sequential ? [event] : []));
  const none = new Relation(events.length);
  orient(pairsOf(fences, ms), po.union(baseWith(none)), (sc) => {
    const base = baseWith(sc);
    const cause = base.union(observation.then(base.union(poLoc)));
    if (fences.some((from) => fences.some((to) => cause.has(from, to) && !mayPrecede(from, to, sc, ms)))) return;
    if (!rf.then(cause).isIrreflexive()) return;
    coherent(candidate, rf, cause, (co) => visit({ rf, co, cause }));
  });
}

/**
 * A fence may precede another in causality if they are not morally strong, or if their Fence-SC
 * order agrees.
 */
function mayPrecede(from: number, to: number, sc: Relation, ms: Relation): boolean {
  return from !== to && (!ms.has(from, to) || sc.has(from, to));
}

/** Visits every coherence order that the axioms allow with `rf` and `cause`. */
function coherent(candidate: Candidate, rf: Relation, cause: Relation, visit: (co: Relation) => void): void {
  const { events, poLoc, ms, rmw, writes, initially } = candidate;
  const forced = cause.union(poLoc).intersection(writes).union(initially);
  const strongWrites = pairsOf(
    events.flatMap(({ kind, agent }, event) => (kind === 'write' && agent !== undefined ? [event] : [])),
    ms.intersection(writes),
  );
  const readFrom = rf.inverse();
  orient(strongWrites, forced, (chosen) => {
    const co = forced.union(chosen).closure();
    if (!co.isIrreflexive()) return;
    const fr = readFrom.then(co);
    if (!fr.then(cause).isIrreflexive()) return;
    if (!ms.intersection(rf.union(co).union(fr)).union(poLoc).isAcyclic()) return;
    const between = ms.intersection(fr).then(ms.intersection(co));
    if (between.intersection(rmw).isEmpty()) visit(co);
  });
}

type Pair = readonly [number, number];

/** Directs each pair, in all ways that `order` allows, and visits the directed pairs. */
function orient(pairs: readonly Pair[], order: Relation, visit: (directed: Relation) => void): void {
  const step = (left: readonly Pair[], known: Relation, directed: Relation): void => {
    const [pair, ...rest] = left;
    if (pair === undefined) {
      visit(directed);
      return;
    }
    for (const [from, to] of [pair, [pair[1], pair[0]]] as const) {
      if (known.has(to, from)) continue;
      step(rest, known.with(from, to).closure(), directed.with(from, to));
    }
  };
  step(pairs, order.closure(), new Relation(order.size));
}

function pairsOf(events: readonly number[], related: Relation): readonly Pair[] {
  return events.flatMap((a) => events.flatMap((b): readonly Pair[] => (a < b && related.has(a, b) ? [[a, b]] : [])));
}

function extended(direct: Relation, rmw: Relation, observation: Relation): Relation {
  return direct.union(observation.then(rmw).then(observation));
}
