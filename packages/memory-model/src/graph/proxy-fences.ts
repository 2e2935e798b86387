import { fabricPair, type FabricPair } from '../fabric-pair.ts';
import { areCopiesOfBlocks, type GraphEvent } from './graph-event.ts';
import type { ProxyFence } from './requests.ts';

/** True if everything that `x` did is ordered before `y`, or if `x` precedes `y` in one agent. */
export type Leads = (x: GraphEvent, y: GraphEvent) => boolean;

/**
 * The proxy fences of a graph. A fence of all proxies, or of the async proxy, orders by itself. The
 * fabric proxy needs a release fence and an acquire fence of the same two proxies. Copies of two
 * blocks need two fences of the async proxy, of which the end of the first copy is one.
 */
export class ProxyFences {
  readonly #all: readonly GraphEvent[];
  readonly #async: readonly GraphEvent[];
  readonly #halves: readonly GraphEvent[];

  constructor(fences: readonly GraphEvent[]) {
    this.#all = fences.filter(({ bridges }) => bridges === 'all');
    this.#async = fences.filter(({ bridges }) => bridges === 'async');
    this.#halves = fences.filter(({ bridges }) => typeof bridges === 'object');
  }

  /** True if a proxy fence separates two accesses whose proxies differ according to `crosses`. */
  bridge(x: GraphEvent, y: GraphEvent, leads: Leads): boolean {
    const isBetween = (fence: GraphEvent): boolean => leads(x, fence) && leads(fence, y);
    if (this.#all.some(isBetween)) return true;
    const pair = pairOf(x, y);
    if (pair === undefined) {
      const between = this.#async.filter(isBetween);
      if (!areCopiesOfBlocks(x, y)) return between.length > 0;
      return between.some((first) => between.some((second) => first !== second && leads(first, second)));
    }
    const acquires = this.#halves.filter(({ bridges }) => isHalf(bridges, pair, 'acquire'));
    return this.#halves.some(
      (release) =>
        isHalf(release.bridges, pair, 'release') &&
        leads(x, release) &&
        acquires.some((acquire) => leads(release, acquire) && leads(acquire, y)),
    );
  }
}

/** The two proxies, if one of them is the fabric proxy. All others count as generic. */
function pairOf(x: GraphEvent, y: GraphEvent): FabricPair | undefined {
  const [producer, consumer] = [x, y].map(({ coordinates }) => (coordinates.proxy === 'fabric' ? 'fabric' : 'generic'));
  return producer === undefined || consumer === undefined ? undefined : fabricPair(producer, consumer);
}

function isHalf(bridges: ProxyFence | undefined, pair: FabricPair, half: 'release' | 'acquire'): boolean {
  return typeof bridges === 'object' && bridges.pair === pair && bridges.half === half;
}
