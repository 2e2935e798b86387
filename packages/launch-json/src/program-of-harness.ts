import {
  describeRanks,
  kernelsOf,
  textOf,
  translate,
  type Harness,
  type HarnessKernel,
  type KernelTexts,
  type PtxSource,
} from '@nccl-ts/harness';
import { isNcclError } from '@nccl-ts/core';
import { jsonOfMemory, jsonOfRank } from './json-of-rank.ts';
import { programError } from './program-error.ts';
import {
  PROGRAM_FORMAT,
  PROGRAM_VERSION,
  type ExtentJson,
  type KernelJson,
  type KernelOfWorldJson,
  type ProgramJson,
  type RanWorldJson,
  type TextJson,
  type WorldJson,
} from './program-json.ts';

export interface ProgramOfHarnessOptions {
  /** The numbers of ranks. */
  readonly ranks: readonly [number, ...number[]];
  /** The name of texts that have none, for messages. */
  readonly name: string;
  /** Returns the text of an author's file that the PTX names; `undefined` if it cannot be read. */
  readonly source?: (path: string) => string | undefined;
}

/**
 * Makes the program of a harness: its kernels' texts, and what its setup describes for each number
 * of ranks. Sources that the PTX names are part of it. A number of ranks with which the harness
 * cannot run is there with the reason.
 *
 * @throws NcclError `NCCLTS_PROGRAM` if requirements of the device communicator have a value that
 *   JSON lacks. Errors of `translate`, if the harness runs with none of the numbers.
 */
export function programOfHarness(harness: Harness, texts: KernelTexts, options: ProgramOfHarnessOptions): ProgramJson {
  const { ranks: counts, name, source } = options;
  const made = new ProgramTexts(harness, texts, name, source);
  const errors: unknown[] = [];
  const worlds = counts.map((ranks): WorldJson => {
    try {
      return made.world(ranks);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      errors.push(error);
      const [why = ''] = error.message.split('\n', 1);
      return { ranks, why: isNcclError(error) ? why : `${error.name}: ${why}` };
    }
  });
  if (errors.length === counts.length) throw errors[0];
  const { local, launches, streams, devComm } = harness;
  const kernels = [...kernelsOf(harness)].map(([own, kernel]) => [own, made.kernel(own, kernel)] as const);
  const [[, only] = []] = kernels;
  return {
    format: PROGRAM_FORMAT,
    version: PROGRAM_VERSION,
    ...(local ? { local } : {}),
    launches,
    ...(streams === 1 ? {} : { streams }),
    ...(devComm === undefined ? {} : { devComm: jsonOfRequirements(devComm) }),
    texts: made.texts(),
    ...(made.sources.size === 0 ? {} : { sources: Object.fromEntries(made.sources) }),
    ...(harness.kernels === undefined && only !== undefined
      ? { kernel: only }
      : { kernels: Object.fromEntries(kernels) }),
    worlds,
  };
}

/** The texts, entries and worlds of a harness, as they are found. */
class ProgramTexts {
  readonly sources = new Map<string, string>();
  readonly #harness: Harness;
  readonly #read: KernelTexts;
  readonly #name: string;
  readonly #source: ((path: string) => string | undefined) | undefined;
  /** The names of texts, by name and text. */
  readonly #names = new Map<string, { readonly name: string; readonly json: TextJson }>();
  /** The text and entry of the first rank that launches a kernel, by the kernel's name. */
  readonly #first = new Map<string, { readonly text: string; readonly entry: string }>();

  constructor(
    harness: Harness,
    read: KernelTexts,
    name: string,
    source: ((path: string) => string | undefined) | undefined,
  ) {
    this.#harness = harness;
    this.#read = read;
    this.#name = name;
    this.#source = source;
  }

  texts(): Readonly<Record<string, TextJson>> {
    return Object.fromEntries([...this.#names.values()].map(({ name, json }) => [name, json]));
  }

  kernel(name: string, kernel: HarnessKernel): KernelJson {
    const { grid, block, cluster, programmatic, dynamicShared, known = {} } = kernel;
    const words = Object.entries(known).map(([offset, value]) => [offset, String(value)] as const);
    // A kernel that no rank launches is not translated.
    const { text, entry } = this.#first.get(name) ?? { text: this.#unused(), entry: name };
    return {
      text,
      entry,
      grid,
      block,
      ...(cluster === undefined ? {} : { cluster: clusterJson(cluster) }),
      ...(programmatic === undefined ? {} : { programmatic }),
      ...(dynamicShared === undefined ? {} : { dynamicShared }),
      ...(words.length === 0 ? {} : { known: Object.fromEntries(words) }),
    };
  }

  world(ranks: number): RanWorldJson {
    const source = (path: string): string | undefined => {
      const found = this.#source?.(path);
      if (found !== undefined) this.sources.set(path, found);
      return found;
    };
    const harness = this.#harness;
    const translated = translate(harness, this.#read, { name: this.#name, ranks, source });
    const described = describeRanks(harness, ranks);
    const places = new Map<string, { text: string | null; entry: string | null }[]>();
    const kernels = kernelsOf(harness);
    for (const { name, ranks: launching, entry } of translated.kernels) {
      const kernel = kernels.get(name);
      if (kernel === undefined) continue;
      const all = places.get(name) ?? Array.from({ length: ranks }, () => ({ text: null, entry: null }));
      places.set(name, all);
      for (const rank of launching) {
        const text = this.#nameOf(textOf(name, kernel, { rank, nRanks: ranks }, this.#read, this.#name));
        all[rank] = { text, entry: entry.name };
      }
      const [launchingFirst = 0] = launching;
      const one = all[launchingFirst];
      if (!this.#first.has(name) && one?.text !== undefined && one.text !== null) {
        this.#first.set(name, { text: one.text, entry: entry.name });
      }
    }
    const differing = [...places].flatMap(([name, all]) => this.#ofWorld(name, all));
    return {
      ranks,
      memory: jsonOfMemory(described).filter(({ name }) => name !== 'the events of the streams'),
      programs: described.map((rank) => jsonOfRank(rank, harness)),
      ...(differing.length === 0 ? {} : { kernels: Object.fromEntries(differing) }),
    };
  }

  /** The differences to the first text and entry of a kernel. */
  #ofWorld(
    name: string,
    all: readonly { readonly text: string | null; readonly entry: string | null }[],
  ): readonly (readonly [string, KernelOfWorldJson])[] {
    const first = this.#first.get(name);
    const differs = (field: 'text' | 'entry'): boolean =>
      all.some((one) => one[field] !== null && one[field] !== first?.[field]);
    const own: KernelOfWorldJson = {
      ...(differs('text') ? { text: all.map(({ text }) => text) } : {}),
      ...(differs('entry') ? { entry: all.map(({ entry }) => entry) } : {}),
    };
    return Object.keys(own).length === 0 ? [] : [[this.#harness.kernels === undefined ? '' : name, own]];
  }

  #nameOf({ name, text }: PtxSource): string {
    const key = JSON.stringify([name, text]);
    const known = this.#names.get(key);
    if (known !== undefined) return known.name;
    const taken = new Set([...this.#names.values()].map((one) => one.name));
    let free = name;
    for (let i = 2; taken.has(free); i++) free = `${name} (${i})`;
    this.#names.set(key, { name: free, json: { ptx: text, ...(free === name ? {} : { name }) } });
    return free;
  }

  #unused(): string {
    return this.#nameOf({ name: 'none', text: '' });
  }
}

function clusterJson(cluster: NonNullable<HarnessKernel['cluster']>): ExtentJson {
  if (typeof cluster === 'number') return cluster;
  if ('x' in cluster) return cluster;
  const [x, y = 1, z = 1] = cluster;
  return { x, y, z };
}

/** @throws NcclError if JSON changes the requirements. */
function jsonOfRequirements(requirements: object): Readonly<Record<string, unknown>> {
  const all = Object.entries(requirements);
  const wrong = all.find(([, value]) => !isJson(value));
  if (wrong === undefined) return Object.fromEntries(all);
  throw programError(['devComm', wrong[0]], 'cannot be saved, because JSON has no such value.');
}

function isJson(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return false;
  return Object.values(value).every((one) => one === undefined || isJson(one));
}
