import type { Site } from '@nccl-ts/findings';
import type {
  ArrayPlan,
  AtomicStatement,
  CollectiveStatement,
  Expression,
  LoadStatement,
  LocalId,
  Module,
  Span,
  Type,
  Uniformity,
  VoteLoop,
} from '@nccl-ts/ir';
import type { Specialisation } from '../program/program.ts';
import type { MulticastPointers } from './multicast-pointers.ts';
import type { SessionWords } from './session-words.ts';

/** The texts of the JavaScript values that form a value. */
export type Components = readonly string[];

/** The state that all parts of one emission share. */
export interface EmitContext {
  /**
   * `cta` if the threads of a CTA run in lockstep, `thread` if each has its own program counter.
   */
  readonly mode: 'cta' | 'thread';
  readonly module: Module;
  readonly specialisation: Specialisation;
  /** The number of threads of a CTA. */
  readonly threads: number;
  readonly uniformity: Uniformity;
  /** Locals that any part of the code may compute again. */
  readonly recomputable: ReadonlyMap<LocalId, Expression>;
  /** Those of them that each CTA computes once, since they are the same in the whole launch. */
  readonly launchLocals: ReadonlySet<LocalId>;
  readonly arrays: ArrayPlan;
  readonly sites: Site[];
  /** The kernel's strings. Generated code receives them as data, never as text. */
  readonly strings: string[];
  /** The names of the functions of `Support` that the text calls. */
  readonly helpers: Set<string>;
  /**
   * The fields of handles that the launch brings, by the text that reads them: the names of their
   * constants. They are read once for a launch, not by each CTA.
   */
  readonly handleFields: Map<string, string>;
  /** The rounds that unbounded loops may take in one call of a generated function. */
  readonly fuel: number;
  /** The rounds of a loop between two clock checks, a power of two. With 0, turns never pause. */
  readonly unseen: number;
  /**
   * True if some threads may return while others continue. `cta.dead` then has the threads that
   * returned.
   */
  readonly partialReturns: boolean;
  /** True if the kernel posts requests or reads words that the network writes. */
  readonly usesNetwork: boolean;
  /** True if the code reports everything that takes simulated time. */
  readonly traced: boolean;
  /**
   * True if the code reports every access, fence and synchronization, for a check of their order.
   */
  readonly watched: boolean;
  /** True if threads may be interrupted before and after ordered accesses. */
  readonly interrupts: boolean;
  /** True if one thread of each CTA may lag behind the others. */
  readonly straggles: boolean;
  /** True if the lanes of a warp wait for each other before accesses that GPUs perform together. */
  readonly gathers: boolean;
  /**
   * True if other host threads may run other CTAs concurrently. Ordered accesses are then atomic.
   */
  readonly shared: boolean;
  readonly multicast: MulticastPointers;
  /** The accesses that begin and end sessions. */
  readonly sessions: SessionWords;
  /**
   * For the compare-and-swap of a loop that applies a function to a word: that function. Empty
   * without a watch.
   */
  readonly applied: ReadonlyMap<AtomicStatement, string>;
  /** The spans of loads with which threads wait. Empty without a watch. */
  readonly polled: ReadonlySet<Span>;
  /** The loads with `isNonCoherent`. Empty without a watch. */
  readonly nonCoherent: ReadonlySet<Span>;
  /** The loads and atomics at which threads wait for others. Empty without `watch`. */
  readonly waited: ReadonlySet<Span>;
  /** By their votes: loops that the trace times as waits. Empty without a trace. */
  readonly voteLoops: ReadonlyMap<CollectiveStatement, VoteLoop>;
  /** The loads of their rounds, which the trace does not time. */
  readonly untimed: ReadonlySet<LoadStatement>;
  /** The sizes of vectors with which threads wait. Empty without a trace. */
  readonly polledVectors: ReadonlySet<number>;
  /** Collects the spans of the statements, if the text gets a source map. */
  readonly markedSpans: Span[] | undefined;
}

/** Returns the number of a source location that accesses memory in one way. */
export function accessSite(context: EmitContext, wanted: Site): number {
  return siteOf(context, wanted, (s) => isSameAccess(s.access, wanted.access));
}

/** By the sites of an emission: the numbers of the sites of each span, in order. */
const numbers = new WeakMap<readonly Site[], Map<Span, number[]>>();

function siteOf({ sites }: EmitContext, wanted: Site, isSame: (site: Site) => boolean): number {
  let all = numbers.get(sites);
  if (all === undefined) {
    all = new Map();
    numbers.set(sites, all);
  }
  const here = all.get(wanted.span) ?? [];
  for (const number of here) {
    const known = sites[number];
    if (known !== undefined && known.what === wanted.what && isSame(known)) return number;
  }
  const number = sites.push(wanted) - 1;
  here.push(number);
  all.set(wanted.span, here);
  return number;
}

function isSameAccess(a: Site['access'], b: Site['access']): boolean {
  return (
    a !== undefined &&
    b !== undefined &&
    a.bytes === b.bytes &&
    a.order === b.order &&
    a.scope === b.scope &&
    a.volatile === b.volatile &&
    a.unscoped === b.unscoped &&
    a.multicast === b.multicast &&
    a.broadcast === b.broadcast &&
    a.fabric === b.fabric &&
    a.adds === b.adds &&
    a.applies === b.applies
  );
}

/** Returns the number of a source location. */
export function site(context: EmitContext, span: Span, what: string): number {
  return siteOf(context, { span, what }, () => true);
}

/** Returns the text that refers to a string of the kernel. */
export function stringText(context: EmitContext, text: string): string {
  let all = stringNumbers.get(context.strings);
  if (all === undefined) {
    all = new Map();
    stringNumbers.set(context.strings, all);
  }
  let number = all.get(text);
  if (number === undefined) {
    number = context.strings.push(text) - 1;
    all.set(text, number);
  }
  return `strings[${number}]`;
}

const stringNumbers = new WeakMap<readonly string[], Map<string, number>>();

/** Returns the name of a support function, which the head of the text binds. */
export function helper(context: EmitContext, name: string): string {
  context.helpers.add(name);
  return name;
}

/** Returns the name of the constant for a field of a handle that the launch brings. */
export function handleField(context: EmitContext, text: string): string {
  const known = context.handleFields.get(text);
  if (known !== undefined) return known;
  const name = `field${context.handleFields.size}`;
  context.handleFields.set(text, name);
  return name;
}

export function localType(context: EmitContext, id: LocalId): Type {
  const declared = context.module.locals[id];
  if (declared === undefined) throw new RangeError(`The module has no local ${id}.`);
  return declared.type;
}

/** True if `e` has the same value in all threads of a CTA. */
export function isUniform(context: EmitContext, e: Expression): boolean {
  return context.uniformity.isUniform(e);
}
