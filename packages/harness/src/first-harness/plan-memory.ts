import { elementNamed, elementOf, templateArguments } from './element-types.ts';
import { dataSizes, flagSizes, type PlannedFill, type PlannedMemory } from './launch-plan.ts';
import type { ReachedMemory } from './reached-memory.ts';
import { takenNames } from './taken-names.ts';

/** The facts about memory that are known from its pointer. */
export interface PointerFacts {
  readonly name: string;
  /** The type of the pointer, as the demangler or the source writes it: `const float *`. */
  readonly type?: string;
  readonly reached?: ReachedMemory;
}

/** The memory of a plan, in the order of its allocation. */
export class PlannedMemories {
  readonly #title: string;
  readonly #usesFloats: string | undefined;
  /** True if one of the pointers leads to memory that the kernel only loads. */
  readonly #hasInput: boolean;
  readonly all: PlannedMemory[] = [];
  /** The names of those whose addresses at all ranks the kernel gets. */
  readonly #ofPeers = new Set<string>();
  readonly #names = new Set<string>();

  constructor(title: string, reached: readonly ReachedMemory[], floats: string | undefined) {
    this.#title = title;
    this.#usesFloats = floats;
    this.#hasInput = reached.flatMap(leaves).some((one) => !one.isSynchronizing && one.isLoaded && !one.isStored);
  }

  /** Adds the memory to which a pointer leads, and returns its name. */
  add({ name, type, reached }: PointerFacts): string {
    const isSynchronizing = isFlags(name, type, reached);
    const element = this.#elementOf(type, reached, isSynchronizing);
    const isInput =
      reached === undefined || reached.isPassed || (reached.isLoaded && (!reached.isStored || !this.#hasInput));
    const isBits = element === 'i8' || element === 'u8';
    const fill: PlannedFill = isSynchronizing || !isInput ? 'zero' : isBits ? 'bits' : 'input';
    return this.#push({
      name,
      element,
      sizes: isSynchronizing ? flagSizes : dataSizes,
      size: 0,
      fill,
      isResult: (reached?.isStored === true || reached?.isPassed === true) && !isSynchronizing,
      isSynchronizing,
    });
  }

  /** Records that the kernel gets the addresses of all ranks' copies. */
  reachedByPeers(name: string): void {
    this.#ofPeers.add(name);
  }

  /**
   * The memory that the kernel reads at all ranks and stores at none, if there is one of that
   * element. A pointer through which it stores may lead to the own copy of it.
   */
  onlyReadAtPeers(type: string): string | undefined {
    const element = type === '' ? undefined : elementOf(type);
    const found = this.all.filter(
      (one) =>
        this.#ofPeers.has(one.name) &&
        !one.isResult &&
        !one.isSynchronizing &&
        (element === undefined || element === one.element),
    );
    return found.length === 1 ? found[0]?.name : undefined;
  }

  /** Adds a table in memory of the addresses of all ranks' copies. */
  addTable(name: string, peersOf: string): string {
    this.reachedByPeers(peersOf);
    return this.#push({
      name,
      element: 'ptr',
      sizes: [{ text: 'nRanks', of: (_, nRanks) => nRanks }],
      size: 0,
      fill: { peersOf },
      isResult: false,
      isSynchronizing: false,
    });
  }

  /** A name that no memory has yet, and that a variable may have. */
  nameFor(wanted: string): string {
    for (let i = 1; ; i++) {
      const name = i === 1 ? wanted : `${wanted}${i}`;
      if (!this.#names.has(name) && !takenNames.has(name)) return name;
    }
  }

  #push(memory: PlannedMemory): string {
    const name = this.nameFor(memory.name);
    this.#names.add(name);
    this.all.push({ ...memory, name });
    return name;
  }

  #elementOf(type: string | undefined, reached: ReachedMemory | undefined, isSynchronizing: boolean): string {
    const named = type === undefined ? undefined : elementOf(type);
    const widths = [...(reached?.types ?? [])];
    if (isSynchronizing) {
      if (named !== undefined && !/^[bf]/u.test(named)) return named;
      return widths.some((one) => one.endsWith('64')) && !widths.some((one) => one.endsWith('32')) ? 'u64' : 'u32';
    }
    // A vector says how wide accesses are, and not of what type the numbers are.
    const isVector = type !== undefined && /\b(?:int|uint|float)[24] ?\*/u.test(type);
    const ofTemplate = templateArguments(this.#title)
      .map(elementNamed)
      .find((one) => one !== undefined);
    if (named !== undefined && !isVector) return named;
    const ofAccess = widths.map(elementOfAccess).find((one) => one !== undefined);
    return ofAccess ?? ofTemplate ?? this.#usesFloats ?? named ?? 'f32';
  }
}

function leaves(memory: ReachedMemory): readonly ReachedMemory[] {
  return memory.pointers.length === 0 ? [memory] : memory.pointers.flatMap(leaves);
}

/** True if kernels synchronize by the memory: as their accesses say, or else its name. */
function isFlags(name: string, type: string | undefined, reached: ReachedMemory | undefined): boolean {
  const element = type === undefined ? undefined : elementOf(type);
  if (element !== undefined && /^(?:f|bf)\d/u.test(element)) return false;
  if (/flag|signal|barrier|sync|counter|semaphore|token|^state$/iu.test(name)) return true;
  if (reached?.isMulticast === true) return false;
  if (reached?.isSynchronizing !== true) return false;
  return !/^(?:data|input|output|out|in|src|dst|buf|buffers?|inputs|outputs|result)$/iu.test(
    name.replace(/Memory$/u, ''),
  );
}

function elementOfAccess(type: string): string | undefined {
  if (type.startsWith('bf16')) return 'bf16';
  if (type.startsWith('f16')) return 'f16';
  return /^f(?:32|64)$/u.test(type) ? type : undefined;
}
