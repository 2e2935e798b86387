import type { AccessScope, MemoryOrder } from '@nccl-ts/core';

/** The order of an access, and its scope. A weak access is a plain one. */
export type Ordering<O extends MemoryOrder = MemoryOrder> = 'weak' | Strong<O>;
export type Strong<O extends MemoryOrder = MemoryOrder> = Readonly<{ order: O; scope: AccessScope }>;

export type LoadOrder = Extract<MemoryOrder, 'relaxed' | 'acquire' | 'seq_cst'>;
export type StoreOrder = Extract<MemoryOrder, 'relaxed' | 'release' | 'seq_cst'>;
export type FenceOrder = Exclude<MemoryOrder, 'relaxed'>;

/**
 * A register plus a constant. The register counts as 0 if there is none, or if nothing was loaded
 * into it.
 */
export type Value = Readonly<{ register?: string; constant: number }>;

/** Loads the location's value into `register`. */
export type Load = Readonly<{ kind: 'load'; location: string; register: string; ordering: Ordering<LoadOrder> }>;
export type Store = Readonly<{ kind: 'store'; location: string; value: Value; ordering: Ordering<StoreOrder> }>;
/**
 * Reads into `register` and writes, in one step: `exch` writes `value`, `add` what it read plus
 * `value`, `cas` writes `value` if it read `compare`. A cas that read another value is only a read,
 * of the same order.
 */
export type Rmw = Readonly<
  {
    kind: 'rmw';
    location: string;
    register: string;
    value: Value;
    ordering: Strong;
  } & ({ update: 'exch' | 'add' } | { update: 'cas'; compare: number })
>;
export type Fence = Readonly<{ kind: 'fence'; ordering: Strong<FenceOrder> }>;
/** Synchronizes with the barrier of the same number in every other agent of the CTA. */
export type Barrier = Readonly<{ kind: 'barrier' }>;
/** Runs `body` if `register` holds `equals`. */
export type If = Readonly<{ kind: 'if'; register: string; equals: number; body: readonly Operation[] }>;
/**
 * Reads `location` until it holds `equals`. Only the last read, which sees that value, is an access
 * of the program.
 */
export type Wait = Readonly<{ kind: 'wait'; location: string; equals: number; ordering: Ordering<LoadOrder> }>;

export type Operation = Load | Store | Rmw | Fence | Barrier | If | Wait;
export type OperationKind = Operation['kind'];

/**
 * The location of a thread: its GPU (a rank has one), its CTA there, and its number in the CTA.
 * CTAs with one cluster of a rank are in it together.
 */
export type Place = Readonly<{ rank: number; cta: number; thread: number; cluster?: number }>;
/** A number of its cluster that no other rank has. */
export function clusterNumber({ rank, cluster }: Place): number | undefined {
  return cluster === undefined ? undefined : rank * 100 + cluster;
}

export type Agent = Readonly<{ place: Place; operations: readonly Operation[] }>;

/**
 * Threads that run concurrently on locations that all start at 0. Values are plain integers. An
 * operation's position is its number in its agent, from 0, in the order of the text: an `if` first,
 * then the operations of its body.
 */
export type SmallProgram = Readonly<{ name: string; agents: readonly Agent[] }>;

/**
 * The program, frozen.
 *
 * @throws TypeError if two agents have the same position, or if an agent loads a register twice.
 * Also throws if a register that is loaded in the body of an `if` is used outside. So the registers
 * alone show the dependencies.
 */
export function smallProgram(name: string, agents: readonly Agent[]): SmallProgram {
  const places = new Set(agents.map(({ place }) => `${place.rank}.${place.cta}.${place.thread}`));
  if (places.size !== agents.length) throw new TypeError(`${name}: two agents have one place`);
  for (const agent of agents) checkRegisters(name, agent.operations, new Set(), new Set());
  return freezeDeep({ name, agents });
}

/** An operation with its position. `depth` counts the enclosing ifs. */
export type Line = Readonly<{ position: number; depth: number; operation: Operation }>;

/** An agent's operations, including those of bodies, in the order of their positions. */
export function linesOf(operations: readonly Operation[]): readonly Line[] {
  const lines: Line[] = [];
  const visit = (list: readonly Operation[], depth: number): void => {
    for (const operation of list) {
      lines.push({ position: lines.length, depth, operation });
      if (operation.kind === 'if') visit(operation.body, depth + 1);
    }
  };
  visit(operations, 0);
  return lines;
}

/** Every location that the program names, sorted. */
export function locationsOf(program: SmallProgram): readonly string[] {
  const names = program.agents.flatMap((agent) =>
    linesOf(agent.operations).flatMap(({ operation }) => ('location' in operation ? [operation.location] : [])),
  );
  return [...new Set(names)].sort();
}

function checkRegisters(
  name: string,
  list: readonly Operation[],
  outer: ReadonlySet<string>,
  loaded: Set<string>,
): void {
  const known = new Set(outer);
  for (const operation of list) {
    for (const used of usedRegisters(operation)) {
      if (!known.has(used)) throw new TypeError(`${name}: register ${used} is not loaded before, or in another body`);
    }
    if (operation.kind === 'if') checkRegisters(name, operation.body, known, loaded);
    if (!('register' in operation) || operation.kind === 'if') continue;
    if (loaded.has(operation.register)) throw new TypeError(`${name}: register ${operation.register} is loaded twice`);
    loaded.add(operation.register);
    known.add(operation.register);
  }
}

function usedRegisters(operation: Operation): readonly string[] {
  if (operation.kind === 'if') return [operation.register];
  return 'value' in operation && operation.value.register !== undefined ? [operation.value.register] : [];
}

function freezeDeep<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freezeDeep(part);
  return Object.freeze(value);
}
