import type { Communicator, Stream } from '@nccl-ts/communicator';
import { barrierOfHosts } from './calls/nvshmem-calls.ts';
import type { RankDescription } from './describe-ranks.ts';
import { kernelsOf, type Harness } from './harness.ts';
import type { KernelsOfRanks } from './kernels-of-ranks.ts';
import { launchArguments, launchAttributes } from './launch-arguments.ts';
import { expectBytes, type ComparedElements, type Expectation } from './memory/expectation.ts';
import { imageBytes } from './memory/memory-image.ts';
import { invalid } from './memory/memory-type.ts';
import { RankMemory } from './rank-memory.ts';
import { deviceCopy, type DeviceCopy, type MadeCopies } from './steps/device-copy.ts';
import { unknownValuesOf } from './unknown-values.ts';
import { eventPlace } from './steps/event-memory.ts';
import { wordAccess } from './steps/word-access.ts';
import {
  isStep,
  type EventStep,
  type HostStep,
  type LaunchStep,
  type MemcpyStep,
  type MemsetStep,
  type Step,
  type WaitWordStep,
  type WriteWordStep,
} from './step.ts';

/** The parts of a harness run: the harness, its kernels, and the program of every rank. */
export interface HarnessRun {
  readonly harness: Harness;
  readonly kernels: KernelsOfRanks;
  readonly ranks: readonly RankDescription[];
  /** The number of streams that the steps of one launch use, on all ranks. */
  readonly streams: number;
  /** The kernels of copies, which all ranks share. */
  readonly copies: MadeCopies;
  /** Is called after each comparison of elements that had the expected values. */
  readonly onCompared?: (elements: ComparedElements) => void;
}

/**
 * Allocates and fills the memory of one rank, launches, and compares the results.
 *
 * @throws NcclError `NCCLTS_FAULT` if the results are not the expected ones. `NCCLTS_INCOMPLETE`
 * if, in addition, the kernels compute values that are unknown. Errors of launches.
 */
export async function runRank(comm: Communicator, run: HarnessRun): Promise<readonly string[]> {
  const { harness, kernels, ranks } = run;
  const description = ranks[comm.rank];
  if (description === undefined)
    throw invalid(`the harness describes ${ranks.length} ranks; this is rank ${comm.rank}.`);
  const total = run.streams * harness.streams;
  const memory = await RankMemory.allocate(comm, harness, description, kernels.all, total);
  // The ranks synchronize here, so that all memory is filled before the first kernel of any rank
  // begins.
  await comm.allocWindow('u8', 1, { name: 'the beginning of the launches' });

  const streams: (Stream | undefined)[] = [undefined];
  while (streams.length < total) streams.push(await comm.createStream());
  const host = new RankHost(comm, run, memory, streams);
  const { between, expect, stepsOf } = description;
  for (let launch = 0; launch < harness.launches; launch++) {
    const steps = stepsOf(launch);
    const first = run.streams * (launch % harness.streams);
    for (const [i, step] of steps.entries()) {
      await host.perform(step, first, labelOf(harness, step, i, steps.length, launch));
    }
    const isLast = launch + 1 === harness.launches;
    if (between === undefined || isLast || (launch + 1) % harness.streams !== 0) continue;
    const actions = actionsOf(between(launch + 1), comm.rank);
    if (actions.length > 0 && streams.length > 1) await host.settle();
    for (const action of actions) await host.perform(action, 0, `${action.kind} after launch ${launch + 1}`);
    // Later launches on other streams come after a copy too.
    if (actions.some(({ kind }) => kind !== 'write') && streams.length > 1) await host.settle();
  }
  await host.settle();
  const heap = memory.handles.get('heap');
  if (heap !== undefined && ranks.some((one) => one.expect !== undefined)) {
    await comm.launch(barrierOfHosts, { grid: 1, block: 1, label: 'before the comparison' }, { heap });
    await comm.synchronize();
  }
  for (const one of expectationsOf(expect?.(), comm.rank)) await host.compare(one);
  return host.printed;
}

/** Performs the steps of one rank. */
class RankHost {
  /** The lines that kernels printed, as far as the host has waited for them. */
  readonly printed: string[] = [];
  /** How often each event was recorded. */
  readonly #records = new Map<number, number>();
  readonly #comm: Communicator;
  readonly #run: HarnessRun;
  readonly #memory: RankMemory;
  readonly #streams: readonly (Stream | undefined)[];

  constructor(comm: Communicator, run: HarnessRun, memory: RankMemory, streams: readonly (Stream | undefined)[]) {
    this.#comm = comm;
    this.#run = run;
    this.#memory = memory;
    this.#streams = streams;
  }

  /** `first` is the stream that the step calls 0. */
  async perform(step: Step, first: number, label: string): Promise<void> {
    switch (step.kind) {
      case 'launch':
        await this.#launch(step, first, label);
        break;
      case 'memcpy':
      case 'memset':
        await this.#copy(step, first, label);
        break;
      case 'writeWord':
      case 'waitWord':
        await this.#access(step, first, label);
        break;
      case 'record':
      case 'waitEvent':
        await this.#event(step, first, label);
        break;
      case 'barrier':
        // All ranks allocate together, so this is where their hosts meet.
        await this.#comm.allocWindow('u8', 1, { name: label });
        break;
      case 'expectation':
        await this.settle();
        await this.compare(step);
        break;
      case 'synchronize':
        await this.settle(step.stream === undefined ? undefined : first + step.stream);
        break;
      case 'write': {
        const { allocation, offset, image } = step;
        if (this.#streams.length > 1) await this.settle();
        await this.#memory.windows.get(allocation)?.write(imageBytes(image, this.#memory.addresses), offset);
      }
    }
  }

  /** Waits for one stream, or for all. */
  async settle(only?: number): Promise<void> {
    for (const [i, stream] of this.#streams.entries()) {
      if (only === undefined || only === i) this.printed.push(...(await this.#comm.synchronize(stream)).printed);
    }
  }

  /** Compares memory with what is expected of it. The host has waited before. */
  async compare(one: Expectation): Promise<void> {
    const window = this.#memory.windows.get(one.allocation);
    const { type, from, expected } = one;
    if (window === undefined || expected.length === 0) return;
    const read = new Uint8Array(expected.length * type.bytes);
    const bytes = await window.read(read, from * type.bytes);
    const { rank } = this.#comm;
    expectBytes(one, bytes, rank, () => unknownValuesOf(this.#run.kernels.all));
    this.#run.onCompared?.({ rank, allocation: one.allocation, from, count: expected.length });
  }

  async #launch({ kernel: name, args, stream, grid, block }: LaunchStep, first: number, label: string): Promise<void> {
    const { rank, nRanks } = this.#comm;
    const { harness, kernels } = this.#run;
    const kernel = kernelsOf(harness).get(name);
    if (kernel === undefined) throw invalid(`the harness has no kernel ${name}.`);
    const translated = kernels.at(name, rank, nRanks);
    const attributes = launchAttributes(kernel.programmatic, translated);
    await this.#comm.launch(
      translated.kernel,
      {
        grid: grid ?? kernel.grid,
        block: block ?? kernel.block,
        label,
        ...this.#streamOf(first + stream),
        ...(attributes === undefined ? {} : { attributes }),
      },
      launchArguments(translated, args, this.#memory.launchPlaces(translated, first + stream)),
    );
  }

  async #copy(step: MemcpyStep | MemsetStep, first: number, label: string): Promise<void> {
    await this.#work(deviceCopy(step, this.#run.copies, this.#run.kernels.source), step, first, label);
  }

  async #access(step: WriteWordStep | WaitWordStep, first: number, label: string): Promise<void> {
    await this.#work(wordAccess(step, this.#run.copies, this.#run.kernels.source), step, first, label);
  }

  /** An event is a word, to which each record writes how many there were. */
  async #event({ kind, event, stream }: EventStep, first: number, label: string): Promise<void> {
    const { rank } = this.#comm;
    const word = eventPlace(this.#run.ranks[rank]?.memory ?? [], event);
    const before = this.#records.get(event);
    if (word === undefined || (before === undefined && kind === 'waitEvent')) return;
    const records = (before ?? 0) + (kind === 'record' ? 1 : 0);
    this.#records.set(event, records);
    const common = { value: BigInt(records), bytes: 4, stream } as const;
    const step: WriteWordStep | WaitWordStep =
      kind === 'record'
        ? { kind: 'writeWord', to: word, ...common }
        : { kind: 'waitWord', from: word, condition: 'geq', ...common };
    await this.#access(step, first, label);
  }

  async #work(
    { translated, args, block }: DeviceCopy,
    step: { readonly kind: string; readonly stream: number },
    first: number,
    label: string,
  ): Promise<void> {
    await this.#comm.launch(
      translated.kernel,
      { grid: 1, block, label, ...this.#streamOf(first + step.stream) },
      launchArguments(translated, args, this.#memory.launchPlaces({ name: step.kind, module: -1 }, 0)),
    );
  }

  #streamOf(index: number): { readonly stream?: Stream } {
    const stream = this.#streams[index];
    return stream === undefined ? {} : { stream };
  }
}

/** The purpose of a launch, for findings: which of how many it is. */
function labelOf({ kernels, launches }: Harness, step: Step, index: number, steps: number, launch: number): string {
  const whole = `launch ${launch + 1} of ${launches}`;
  if (kernels === undefined) return whole;
  const name = step.kind === 'launch' ? step.kernel : step.kind;
  const place = steps === 1 ? name : `${name} (step ${index + 1} of ${steps})`;
  return launches === 1 ? place : `${place} in ${whole}`;
}

function actionsOf(given: HostStep | readonly HostStep[] | undefined, rank: number): readonly HostStep[] {
  const steps = given === undefined ? [] : 'kind' in given ? [given] : given;
  if (steps.every(isHostStep)) return steps;
  throw invalid(
    `setup of rank ${rank}: between must return the result of an allocation's write, of memcpy or of memset, or an array of such.`,
  );
}

function isHostStep(value: unknown): value is HostStep {
  return isStep(value) && (value.kind === 'write' || value.kind === 'memcpy' || value.kind === 'memset');
}

function expectationsOf(given: Expectation | readonly Expectation[] | undefined, rank: number): readonly Expectation[] {
  const all = given === undefined ? [] : 'kind' in given ? [given] : given;
  if (all.every(({ kind }) => kind === 'expectation')) return all;
  throw invalid(`setup of rank ${rank}: expect must return the result of an allocation's equals, or an array of such.`);
}
