import { at as elementAt } from '@nccl-ts/core';
import {
  memoryType,
  tensorMap,
  type Allocation,
  type Expectation,
  type HarnessArgument,
  type HostStep,
  type Pointer,
  type RankLaunches,
  type RankResults,
  type RankSetup,
  type RankSteps,
  type Step,
  type TypedValue,
  type WriteStep,
} from '@nccl-ts/harness';
import { bytesOf } from './base64-bytes.ts';
import { elementBytes } from './element-bytes.ts';
import { elementType, placedImage, imageOf, writePart, type ElementValue, type PlacedImage } from './image-of-json.ts';
import { extentOf, numberOf, wordsOf } from './numbers-of-json.ts';
import { programError } from './program-error.ts';
import type {
  AddressJson,
  ArgumentBytesJson,
  ArgumentJson,
  ContentsJson,
  ExpectJson,
  ImageJson,
  MemoryJson,
  ProgramJson,
  RankJson,
  RanWorldJson,
  StepJson,
  TensorMapJson,
} from './program-json.ts';

type SetupOfMemory = Omit<RankSetup, 'launch'>;

/** The program of a rank, as its setup describes it. */
export class ProgramOfRank {
  readonly #setup: SetupOfMemory;
  readonly #rank: RankJson;
  readonly #memory: ReadonlyMap<string, Allocation<ElementValue>>;

  /** Allocates the memory. @throws NcclError if there is no program with so many ranks. */
  constructor(program: ProgramJson, setup: SetupOfMemory) {
    const { rank, nRanks } = setup;
    const world = worldOf(program, nRanks);
    const own = world.programs[rank];
    if (own === undefined) throw programError(['worlds'], `has no program of rank ${rank} of ${nRanks}.`);
    this.#setup = setup;
    this.#rank = own;
    const memory = new Map<string, Allocation<ElementValue>>();
    this.#memory = memory;
    for (const one of world.memory) memory.set(one.name, this.#allocated(one));
  }

  /** The answer of the setup of a harness with one kernel. */
  launches(): RankLaunches {
    const { args, argsByLaunch, between } = this.#rank;
    const lists = argsByLaunch?.map((list) => this.#args(list));
    const actions = between?.map((list) => list.map((step) => this.#hostStep(step)));
    return {
      args: lists === undefined ? this.#args(args ?? []) : (launch) => ofLaunch(lists, launch),
      ...(actions === undefined ? {} : { between: (launch) => actions[launch - 1] ?? [] }),
      ...this.#results(),
    };
  }

  /** The answer of the setup of a harness with several kernels. */
  steps(launch: RankSetup<string>['launch']): RankSteps {
    const { steps, stepsByLaunch } = this.#rank;
    const made = (list: readonly StepJson[]): readonly Step[] => list.map((step) => this.#step(step, launch));
    const lists = stepsByLaunch?.map(made);
    return {
      steps: lists === undefined ? made(steps ?? []) : (index) => ofLaunch(lists, index),
      ...this.#results(),
    };
  }

  #results(): RankResults {
    const { expect } = this.#rank;
    return expect === undefined ? {} : { expect: () => expect.map((one) => this.#expectation(one)) };
  }

  #allocated(memory: MemoryJson): Allocation<ElementValue> {
    const { name, type = 'u8', count, contents } = memory;
    const own = isList(contents) ? contents[this.#setup.rank] : contents;
    const values = own === undefined || own === null ? undefined : this.#values(own, elementBytes(memory));
    return this.#setup.alloc(name, elementType(type), count, values);
  }

  #values(contents: ContentsJson, size: number): 'uninitialised' | ((index: number) => ElementValue) | undefined {
    if (contents === 'uninitialised') return contents;
    if (!('values' in contents)) return this.#parts(contents, size);
    const values = contents.values.map(numberOf);
    return (index) => elementAt(values, index);
  }

  /** The elements of an image, by their index. */
  #parts(contents: ImageJson, size: number): (index: number) => ElementValue {
    const image = this.#image(contents);
    return (index) => ({ image, at: index * size });
  }

  #image(contents: ImageJson): PlacedImage {
    return placedImage(contents, (address) => this.#pointer(address));
  }

  /** Memory may have addresses of later memory, which is known when they are used. */
  #pointer({ memory: name, rank = this.#setup.rank, offset = 0 }: AddressJson): Pointer {
    const all = this.#memory;
    const [first] = all.values();
    // The setup learns in this way that there are multicast addresses.
    if (rank === 'multicast' && first !== undefined) this.#setup.multicast(first);
    return {
      kind: 'pointer',
      get allocation(): Allocation {
        const found = all.get(name);
        if (found === undefined) throw programError([], `has no memory '${name}'.`);
        return found;
      },
      rank,
      offset,
    };
  }

  #args(list: readonly ArgumentJson[]): readonly HarnessArgument[] {
    return list.map((one) => {
      if (one === null) return null;
      if (typeof one !== 'object') return numberOf(one);
      if ('tensorMap' in one) return this.#tensorMap(one.tensorMap);
      return 'memory' in one ? this.#pointer(one) : this.#typedBytes(one);
    });
  }

  #tensorMap({ base, type, shape, strides, box, swizzle }: TensorMapJson): TypedValue {
    return tensorMap({
      base: this.#pointer(base),
      type,
      shape,
      box,
      ...(strides === undefined ? {} : { strides }),
      ...(swizzle === undefined ? {} : { swizzle }),
    });
  }

  #typedBytes({ known, ranges, ...image }: ArgumentBytesJson): TypedValue {
    const { length } = bytesOf(image.base64);
    const placed = this.#image(image);
    const type = memoryType<null>({
      typeName: 'bytes',
      bytes: length,
      align: 1,
      encode: (into, at) => writePart(into, at, { image: placed, at: 0 }, length),
      ...(known === undefined ? {} : { known: knownOf(known) }),
      ...(ranges === undefined ? {} : { ranges }),
    });
    return type(null);
  }

  #step(step: StepJson, launch: RankSetup<string>['launch']): Step {
    switch (step.kind) {
      case 'launch':
        return launch(step.kernel, this.#args(step.args), {
          stream: step.stream ?? 0,
          ...(step.grid === undefined ? {} : { grid: extentOf(step.grid) }),
          ...(step.block === undefined ? {} : { block: extentOf(step.block) }),
        });
      case 'synchronize':
        return this.#setup.synchronize(step.stream);
      case 'writeWord': {
        const { to, value, bytes = 4, stream = 0 } = step;
        return { ...this.#setup.writeWord(this.#pointer(to), BigInt(value), { bytes, stream }), ...locationOf(step) };
      }
      case 'waitWord': {
        const { from, value, bytes = 4, stream = 0, condition = 'geq' } = step;
        const options = { bytes, stream, condition };
        return { ...this.#setup.waitWord(this.#pointer(from), BigInt(value), options), ...locationOf(step) };
      }
      case 'record':
      case 'waitEvent':
        return this.#setup[step.kind](step.event, { stream: step.stream ?? 0 });
      case 'barrier':
        return this.#setup.hostBarrier();
      case 'expect':
        return this.#expectation(step);
      default:
        return this.#hostStep(step);
    }
  }

  #hostStep(step: StepJson): HostStep {
    switch (step.kind) {
      case 'memcpy': {
        const [to, from] = [this.#pointer(step.to), this.#pointer(step.from)];
        return { kind: 'memcpy', to, from, bytes: step.bytes, stream: step.stream ?? 0, ...locationOf(step) };
      }
      case 'memset': {
        const to = this.#pointer(step.to);
        const { value, bytes, stream = 0 } = step;
        return { kind: 'memset', to, value, bytes, stream, ...locationOf(step) };
      }
      case 'write':
        return this.#write(step.memory, step.offset ?? 0, step.contents);
      default:
        throw programError(['between'], `has a ${step.kind}, and only write, memcpy and memset can be there.`);
    }
  }

  #write(allocation: string, offset: number, contents: ImageJson & { readonly base64: string }): WriteStep {
    return { kind: 'write', allocation, offset, image: imageOf(this.#image(contents)) };
  }

  #expectation({ memory, from = 0, values, base64, tolerance = 0 }: ExpectJson): Expectation {
    const found = this.#memory.get(memory);
    if (found === undefined) throw programError([], `has no memory '${memory}'.`);
    if (values !== undefined) return found.equals(values.map(numberOf), { from, tolerance });
    const bytes = bytesOf(base64 ?? '');
    const view = new DataView(bytes.buffer);
    const { decode, bytes: size } = found.type;
    const count = bytes.length / size;
    // `equals` refuses a type whose bytes are no numbers.
    const expected = decode === undefined ? [] : Array.from({ length: count }, (_, i) => decode(view, i * size));
    return found.equals(expected, { from, tolerance });
  }
}

function worldOf({ worlds }: ProgramJson, nRanks: number): RanWorldJson {
  const found = worlds.find(({ ranks }) => ranks === nRanks);
  if (found === undefined) {
    const all = worlds.map(({ ranks }) => ranks).join(', ');
    throw programError(['worlds'], `has programs for ${all} ranks, and none for ${nRanks}.`);
  }
  if ('why' in found) throw programError(['worlds'], `has no program for ${nRanks} ranks: ${found.why}`);
  return found;
}

function ofLaunch<T>(lists: readonly T[], launch: number): T {
  const found = lists[launch];
  if (found !== undefined) return found;
  throw programError(['worlds'], `has lists for ${lists.length} launches, and there are more.`);
}

function knownOf(known: NonNullable<ArgumentBytesJson['known']>): readonly { offset: number; value: bigint }[] {
  return Object.entries(wordsOf(known)).map(([offset, value]) => ({ offset: Number(offset), value }));
}

function locationOf({ location }: { readonly location?: string | undefined }): { readonly location?: string } {
  return location === undefined ? {} : { location };
}

function isList<T>(value: T | readonly T[]): value is readonly T[] {
  return Array.isArray(value);
}
