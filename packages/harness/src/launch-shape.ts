import type { Extent } from '@nccl-ts/communicator';
import type { PtxFunction, PtxInstruction, PtxModule } from '@nccl-ts/ptx';
import { deviceCalls } from './calls/device-calls.ts';
import { namedBy, symbolsAndRegistersOf } from './named-by.ts';
import { sizeOf } from './harness-kernel.ts';
import { invalid } from './memory/memory-type.ts';

/** Bounds on the threads of a CTA that an entry was compiled with. */
export interface ThreadBound {
  readonly directive: 'maxntid' | 'reqntid';
  readonly numbers: readonly number[];
}

export function threadBounds({ directives }: Pick<PtxFunction, 'directives'>): readonly ThreadBound[] {
  return (['maxntid', 'reqntid'] as const).flatMap((directive) => {
    const numbers = directives.get(`.${directive}`);
    return numbers === undefined ? [] : { directive, numbers };
  });
}

/**
 * Compares the block of a launch with the bounds of the entry, as the driver does.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the entry was compiled for other blocks.
 */
export function expectThreads(entry: PtxFunction, block: Extent, what: string): void {
  const { x, y = 1, z = 1 } = typeof block === 'number' ? { x: block } : block;
  for (const { directive, numbers } of threadBounds(entry)) {
    const [atX = 1, atY = 1, atZ = 1] = numbers;
    const made = atX * atY * atZ;
    const text = [x, y, z].join(' x ');
    const madeText = [atX, atY, atZ].join(' x ');
    const fits = directive === 'reqntid' ? x === atX && y === atY && z === atZ : x * y * z <= made;
    if (fits) continue;
    const bound = directive === 'reqntid' ? 'exactly' : 'at most';
    throw invalid(
      `${what}: the kernel is made for ${bound} ${counted(made)} in a block (.${directive}), and the launch has ${x * y * z}; ` +
        (directive === 'reqntid'
          ? `write block: ${atY * atZ === 1 ? made : `{ x: ${atX}, y: ${atY}, z: ${atZ} } in place of ${text}`}.`
          : `make ${text} smaller, or compile it for more than ${madeText}.`),
    );
  }
}

/** The places of a launch that a kernel may distinguish. */
export interface PlacesRead {
  /** True if it tells the threads of a CTA apart, or lets them work together. */
  readonly threads: boolean;
  /** True if it tells the CTAs of a grid apart. */
  readonly ctas: boolean;
}

const together = new Set(['bar', 'barrier', 'shfl', 'vote', 'match', 'redux', 'activemask', 'elect', 'mbarrier']);

/** Finds if an entry, or a function that it calls, reads indices of threads and CTAs. */
export function placesRead(module: PtxModule, entry: PtxFunction): PlacesRead {
  const named = namedBy(module, entry);
  const functions = module.functions.filter((one) => one === entry || named.has(one.name));
  const instructions = functions.flatMap(({ body }) =>
    (body?.items ?? []).flatMap((item): readonly PtxInstruction[] => (item.kind === 'instruction' ? [item] : [])),
  );
  const names = new Set(instructions.flatMap(({ operands }) => operands.flatMap(symbolsAndRegistersOf)));
  const reads = (pattern: RegExp): boolean => [...names].some((name) => pattern.test(name));
  const isOpen = functions.some(({ body, name }) => body === undefined && !deviceCalls.has(name));
  const isGrouped = isOpen || callsOfGroups(instructions);
  return {
    threads:
      isGrouped ||
      reads(/^%(?:tid|laneid|warpid|lanemask)/u) ||
      instructions.some(({ words: [word] }) => together.has(word)),
    ctas: isOpen || reads(/^%(?:ctaid|clusterid|cluster_ct)/u),
  };
}

/**
 * True if threads call a function of the stand-in headers together. The number of its group is then
 * another than 1.
 */
function callsOfGroups(instructions: readonly PtxInstruction[]): boolean {
  return instructions.some(({ words, operands }, at) => {
    const name = operands.flatMap(symbolsAndRegistersOf).find((one) => deviceCalls.has(one));
    if (words[0] !== 'call' || name === undefined) return false;
    const coop = deviceCalls.get(name)?.params.findIndex((param) => param.name === 'coop') ?? -1;
    if (coop < 0) return false;
    const given = operands.findLast((operand) => operand.kind === 'list');
    const passed = given?.elements[coop];
    const place = passed?.kind === 'symbol' ? passed.name : undefined;
    const set = instructions
      .slice(0, at)
      .findLast(
        ({ words: [word], operands: [to] }) =>
          word === 'st' && to?.kind === 'address' && to.base?.kind === 'symbol' && to.base.name === place,
      );
    const value = set?.operands[1];
    return value?.kind !== 'integer' || value.value !== 1n;
  });
}

/** Warns of a launch in which threads or CTAs do the same as each other. */
export function placeWarnings(
  entryName: string,
  { threads, ctas }: PlacesRead,
  { grid, block }: { readonly grid: Extent; readonly block: Extent },
): readonly string[] {
  const size = sizeOf(block);
  return [
    ...(threads || size === 1
      ? []
      : [
          `warning: ${entryName} is made for 1 thread, launched with ${size}: it reads no index of a thread, so that each of them does the same. Write block: 1, unless that is meant.`,
        ]),
    ...(ctas || sizeOf(grid) === 1
      ? []
      : [
          `warning: ${entryName} is made for 1 CTA, launched with ${sizeOf(grid)}: it reads no index of a CTA, so that each of them does the same. Write grid: 1, unless that is meant.`,
        ]),
  ];
}

function counted(threads: number): string {
  return threads === 1 ? '1 thread' : `${threads} threads`;
}
