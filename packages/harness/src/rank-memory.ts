import { NcclError } from '@nccl-ts/core';
import {
  getLsaMultimemDevicePointer,
  getPeerDevicePointer,
  type Communicator,
  type DevComm,
  type Window,
} from '@nccl-ts/communicator';
import { devCommValues, type DevCommRequirements } from '@nccl-ts/devcomm';
import { gridWorkspace } from '@nccl-ts/ptx';
import { shmemRequirements } from './calls/shmem-completion.ts';
import type { RankDescription } from './describe-ranks.ts';
import type { Harness } from './harness.ts';
import type { LaunchPlaces } from './launch-arguments.ts';
import { imageBytes, type CreatedField, type RankAddresses } from './memory/memory-image.ts';
import { invalid } from './memory/memory-type.ts';
import { pointerText, type Pointer } from './memory/pointer.ts';
import type { TranslatedEntry, TranslatedKernel } from './translated-entry.ts';
import { variableImage } from './variable-image.ts';

/** The `WindowFlags` of allocations. Any of them may contain signals of the network. */
const SYMMETRIC_AND_ORDERED = 3;

/** The table of the stand-in headers that has the address of the signals of each GIN context. */
const GIN_CONTEXTS = '__nccl_ts_gin_contexts';

/** The memory of one rank: its allocations, the variables of its kernels, and its handles. */
export class RankMemory {
  readonly windows: ReadonlyMap<string, Window>;
  readonly handles: ReadonlyMap<string, DevComm>;
  readonly addresses: RankAddresses;
  readonly #variables: ReadonlyMap<string, Window>;
  readonly #rank: number;

  private constructor(
    rank: number,
    windows: ReadonlyMap<string, Window>,
    variables: ReadonlyMap<string, Window>,
    handles: ReadonlyMap<string, DevComm>,
  ) {
    this.#rank = rank;
    this.windows = windows;
    this.#variables = variables;
    this.handles = handles;
    this.addresses = {
      address: (pointer) => addressOf(windows, pointer, rank),
      field: (field) => devCommField(handles.get('comm'), field),
    };
  }

  /**
   * Allocates and fills the memory of a rank. All ranks call it with the same `kernels` and the
   * same number of streams, because it allocates on all of them together.
   */
  static async allocate(
    comm: Communicator,
    harness: Harness,
    description: RankDescription,
    kernels: readonly TranslatedKernel[],
    streams: number,
  ): Promise<RankMemory> {
    const windows = new Map<string, Window>();
    for (const { allocation } of description.memory) {
      windows.set(
        allocation.name,
        await comm.allocWindow('u8', allocation.bytes, { name: allocation.name, flags: SYMMETRIC_AND_ORDERED }),
      );
    }
    const variables = new Map<string, Window>();
    const images: [TranslatedKernel, string, number][] = [];
    for (const kernel of kernels) {
      for (const param of kernel.params) {
        if (param.kind !== 'variable') continue;
        const { name, bytes } = param.variable;
        // A cooperative launch has a workspace of its own, and those of a stream follow each other.
        for (let stream = 0; stream < (name === gridWorkspace.name ? streams : 1); stream++) {
          const key = variableKey(kernel, name, stream);
          if (variables.has(key)) continue;
          // A variable that another file defines has no size. An access of it is out of bounds.
          variables.set(key, await comm.allocWindow('u8', Math.max(bytes, 1), { name }));
          images.push([kernel, name, stream]);
        }
      }
    }
    const handles = new Map<string, DevComm>();
    for (const [name, requirements] of handlesOf(kernels, harness, comm.nRanks)) {
      handles.set(name, await comm.createDevComm(requirements));
    }
    const memory = new RankMemory(comm.rank, windows, variables, handles);
    for (const { allocation, image, isGiven } of description.memory) {
      if (isGiven) await windows.get(allocation.name)?.write(imageBytes(image, memory.addresses));
    }
    for (const [kernel, name, stream] of images) {
      const variable = kernel.params.find((param) => param.kind === 'variable' && param.variable.name === name);
      if (variable?.kind !== 'variable') continue;
      const image =
        name === GIN_CONTEXTS
          ? ginContexts(handles.get('comm'), variable.variable.bytes)
          : variableImage(variable.variable, memory.launchPlaces(kernel, stream).variable);
      await variables.get(variableKey(kernel, name, stream))?.write(image);
    }
    return memory;
  }

  /** The parts of the rank that a launch of the kernel on a stream needs. */
  launchPlaces(kernel: Pick<TranslatedKernel, 'name' | 'module'>, stream: number): LaunchPlaces {
    const { addresses, handles } = this;
    return {
      addresses,
      handles,
      variable: (name) => ownAddress(this.#variables.get(variableKey(kernel, name, stream)), name, this.#rank),
    };
  }
}

function variableKey(
  { name: kernel, module }: Pick<TranslatedKernel, 'name' | 'module'>,
  name: string,
  stream: number,
): string {
  return JSON.stringify(name === gridWorkspace.name ? [kernel, module, name, stream] : [module, name]);
}

/**
 * The device communicators that calls need, by name: NCCL's, which the harness describes, and the
 * one for NVSHMEM's heap.
 */
function handlesOf(
  kernels: readonly Pick<TranslatedEntry, 'params'>[],
  { devComm }: Harness,
  nRanks: number,
): readonly (readonly [string, DevCommRequirements])[] {
  const needs = (name: string): boolean =>
    kernels.some(({ params }) => params.some((param) => param.kind === 'handle' && param.name === name));
  return [
    ...(needs('comm') || devComm !== undefined ? [['comm', devComm ?? {}] as const] : []),
    ...(needs('heap') ? [['heap', shmemRequirements(nRanks)] as const] : []),
  ];
}

/** The contents of the table `GIN_CONTEXTS`, of `bytes` bytes. */
function ginContexts(devComm: DevComm | undefined, bytes: number): Uint8Array<ArrayBuffer> {
  const addresses = new BigUint64Array(bytes / 8);
  const count = Math.min(devComm?.plan.ginContextCount ?? 0, addresses.length);
  for (let context = 0; context < count; context++) {
    const address = devComm?.signalAddress(context);
    if (address === undefined) {
      throw new NcclError(
        'NCCLTS_NOT_SUPPORTED',
        'the backend has no addresses of GIN signals, which the kernel reads.',
      );
    }
    addresses[context] = BigInt(address);
  }
  return new Uint8Array(addresses.buffer);
}

function devCommField(devComm: DevComm | undefined, field: CreatedField): number {
  if (devComm === undefined)
    throw invalid('devComm is an argument, and there is none: say what it needs, devComm: {} at least.');
  const { plan, rank, lsaMultimem } = devComm;
  if (typeof field !== 'string') {
    const handles = plan.resources[field.resource];
    if (handles !== undefined) return handles.bufHandle;
    throw invalid(
      `there is no resource ${field.resource}: devComm.resourceRequirementsList has ${plan.resources.length} elements.`,
    );
  }
  return devCommValues(plan, plan.topology, rank, lsaMultimem.mcBasePtr)[field];
}

function addressOf(windows: ReadonlyMap<string, Window>, pointer: Pointer, rank: number): bigint {
  const window = windows.get(pointer.allocation.name);
  if (window === undefined) throw invalid(`there is no allocation '${pointer.allocation.name}' at rank ${rank}.`);
  const made =
    pointer.rank === 'multicast'
      ? getLsaMultimemDevicePointer(window, pointer.offset)
      : getPeerDevicePointer(window, pointer.offset, pointer.rank);
  if (made !== null) return BigInt(made.address);
  throw new NcclError(
    'NCCLTS_NOT_SUPPORTED',
    `rank ${rank} has no address of ${pointerText(pointer)}: ${pointer.rank === 'multicast' ? 'the backend has no multicast' : 'the rank is in another load-store domain'}.`,
  );
}

function ownAddress(window: Window | undefined, name: string, rank: number): bigint {
  const made = window === undefined ? null : getPeerDevicePointer(window, 0, rank);
  if (made === null)
    throw new NcclError(
      'NCCLTS_COMPILE',
      `cannot put the address of ${name} into memory: the module has no such variable in .global.`,
    );
  return BigInt(made.address);
}
