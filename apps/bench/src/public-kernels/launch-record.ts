import type { PtxModule } from '@nccl-ts/ptx';
import {
  controlsDependents,
  describeRanks,
  entryOf,
  kernelsOf,
  layOutParameters,
  parameterBytes,
  readPtxModule,
  ImageWriter,
  textOf,
  type Expectation,
  type Harness,
  type HarnessKernel,
  type KernelTexts,
  type LaunchStep,
  type MemoryImage,
  type PtxSource,
  type RankDescription,
} from '@nccl-ts/harness';

/** Bytes after which contents may repeat, smallest first. Others are written as a whole. */
const PERIODS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 1024, 4096, 16384];

/** A launch of a harness on all ranks, as native/recorded-launches.cu reads it. */
export interface LaunchRecord {
  readonly text: string;
  /** The PTX that it names. */
  readonly files: readonly string[];
}

/**
 * Records the memory and the launches of a harness, so that a program without Node can make them.
 * These are allocations and what is in them, the bytes of the arguments with the places of
 * addresses, and the results that are expected after the first launch.
 *
 * @throws RangeError if the harness does more than launch, or a launch depends on its number.
 */
export function launchRecord(harness: Harness, texts: KernelTexts, nRanks: number): LaunchRecord {
  const ranks = describeRanks(harness, nRanks);
  const modules = new Map<string, PtxModule>();
  const lines = ['launches 1', `ranks ${nRanks}`];
  const [first] = ranks;
  const names = first === undefined ? [] : first.memory.map(({ allocation }) => allocation.name);
  const place = (name: string): number => names.indexOf(name);
  for (const { allocation } of first?.memory ?? []) lines.push(`memory ${allocation.bytes}`);
  const files = new Set<string>();
  for (const description of ranks) {
    const { rank, memory, expect } = description;
    for (const { allocation, image } of memory) {
      const at = place(allocation.name);
      const bytes = image.pointers.length > 0 ? Buffer.from(image.bytes).toString('hex') : contents(image.bytes);
      lines.push(`image ${rank} ${at} ${bytes}`, ...addresses(`${rank} ${at}`, image, place));
    }
    const linesOf = (launch: number): readonly string[] =>
      onlyLaunches(description, launch).flatMap((step) => {
        const kernel = kernelsOf(harness).get(step.kernel);
        if (kernel === undefined) throw new RangeError(`The harness has no kernel ${step.kernel}.`);
        const source = textOf(step.kernel, kernel, { rank, nRanks }, texts, 'kernel');
        files.add(source.name);
        let module = modules.get(source.text);
        if (module === undefined) modules.set(source.text, (module = readPtxModule(source.text, source.name)));
        return launchLines({ rank, nRanks }, step, kernel, { source, module }, place);
      });
    const made = linesOf(0);
    if (harness.launches > 1 && linesOf(1).join('\n') !== made.join('\n')) {
      throw new RangeError('The arguments depend on the number of the launch; a graph repeats those of the first.');
    }
    lines.push(...made);
    for (const expectation of [expect?.() ?? []].flat()) lines.push(...expectationLines(rank, expectation, place));
  }
  return { text: `${lines.join('\n')}\n`, files: [...files] };
}

function onlyLaunches(description: RankDescription, launch: number): readonly LaunchStep[] {
  const steps = description.stepsOf(launch);
  const made = steps.filter((step) => step.kind === 'launch');
  if (made.length !== steps.length) throw new RangeError('Only launches are recorded; the harness has other steps.');
  return made;
}

function launchLines(
  at: { readonly rank: number; readonly nRanks: number },
  { args, grid: ownGrid, block: ownBlock }: LaunchStep,
  kernel: HarnessKernel,
  { source, module }: { readonly source: PtxSource; readonly module: PtxModule },
  place: (name: string) => number,
): readonly string[] {
  const wanted = typeof kernel.entry === 'function' ? kernel.entry(at) : kernel.entry;
  if (wanted === undefined) throw new RangeError(`The kernel has no entry at rank ${at.rank}.`);
  const entry = entryOf(module, wanted);
  const image = parameterBytes(entry.params, args, entry.name);
  const { placed } = layOutParameters(entry.params);
  const isProgrammatic = kernel.programmatic ?? controlsDependents(module, entry);
  const { cluster = 1, dynamicShared = 0 } = kernel;
  if (typeof cluster !== 'number') throw new RangeError('Only clusters of one dimension are recorded.');
  return [
    `launch ${at.rank} ${source.name} ${entry.name} ${extent(ownGrid ?? kernel.grid)} ${extent(ownBlock ?? kernel.block)} ` +
      `${dynamicShared} ${cluster} ${isProgrammatic ? 1 : 0} ${placed.map(({ offset }) => offset).join(',') || '-'} ` +
      (Buffer.from(image.bytes).toString('hex') || '-'),
    ...addresses('launch -1', image, place),
  ];
}

/** The places of addresses in an image: those of whole addresses only. */
function addresses(
  what: string,
  { pointers, fields }: MemoryImage,
  place: (name: string) => number,
): readonly string[] {
  if (fields.length > 0) throw new RangeError('Fields of a device communicator are not recorded.');
  return pointers.map(({ at, pointer, part }) => {
    if (part !== 'whole' || pointer.rank === 'multicast') throw new RangeError('Only whole addresses are recorded.');
    return `address ${what} ${at} ${pointer.rank} ${place(pointer.allocation.name)} ${pointer.offset}`;
  });
}

/** Results with a tolerance are left out, because bytes are compared. */
function expectationLines(
  rank: number,
  { allocation, type, from, expected, tolerance }: Expectation,
  place: (name: string) => number,
): readonly string[] {
  if (tolerance !== 0) return [];
  const image = new ImageWriter(expected.length * type.bytes);
  for (const [i, value] of expected.entries()) type.encode(image, i * type.bytes, value, allocation);
  return [`expect ${rank} ${place(allocation)} ${from * type.bytes} ${image.bytes.length} ${contents(image.bytes)}`];
}

function extent(given: HarnessKernel['grid']): string {
  const { x, y = 1, z = 1 } = typeof given === 'number' ? { x: given } : given;
  return `${x} ${y} ${z}`;
}

/** The bytes up to where they repeat, as hexadecimal digits. */
function contents(bytes: Uint8Array): string {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const period = PERIODS.find(
    (after) => after < all.length && all.subarray(after).equals(all.subarray(0, all.length - after)),
  );
  return all.subarray(0, period ?? all.length).toString('hex');
}
