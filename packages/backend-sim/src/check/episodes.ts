import type { FindingLabel } from '@nccl-ts/findings';
import type { CtaIdentity } from '@nccl-ts/transport';

/** The suffix of a bulk copy's action. */
export const BULK = ' of a bulk copy';

/** The end of the words for an access of `st.async` or `red.async`. */
export const ASYNC = ' made asynchronously';

/** True for an operation of the network that reads its source. */
export function readsSource({ agent, does }: FindingLabel): boolean {
  return agent === 'network' && does.endsWith('reads its source');
}

/** Actions of an agent, starting at a stamp. */
export interface Episode {
  readonly from: number;
  readonly launch: number;
  /** The purpose of the launch, or its number on its rank. */
  readonly purpose: string;
  readonly cta: Pick<CtaIdentity, 'rank' | 'blockIdx'>;
  /** For the network: the thread that posted the request, and the network's action for it. */
  readonly thread?: number;
  readonly does?: string;
  /** For a copy or a store that runs beside the thread: the end of the words for its accesses. */
  readonly by?: typeof BULK | typeof ASYNC;
}

/** The launch of a thread that posts. */
export interface PostingLaunch {
  readonly id: number;
  readonly purpose: string;
}

/** The part of an episode that is the same in all launches. */
type EpisodeCommon = Pick<Episode, 'cta' | 'thread' | 'does' | 'purpose' | 'by'>;

/**
 * All actions of one agent, oldest first. It stores only two numbers for each launch that repeats
 * them, since any launch may contain the last writer in a finding.
 */
export class Episodes {
  readonly #from: number[] = [];
  readonly #launches: number[] = [];
  readonly #parts: EpisodeCommon[] = [];

  /** Adds an episode that begins where the last one ended or later. */
  add({ from, launch, purpose, cta, thread, does, by }: Episode): void {
    const { rank, blockIdx } = cta;
    const last = this.#parts.at(-1);
    const given = {
      cta: { rank, blockIdx },
      purpose,
      ...(thread === undefined ? {} : { thread }),
      ...(by === undefined ? {} : { by }),
    };
    const part = does === undefined ? given : { ...given, does };
    this.#from.push(from);
    this.#launches.push(launch);
    this.#parts.push(last !== undefined && isSame(last, part) ? last : part);
  }

  /** True if all episodes are launches of a CTA, and none is a request or a copy. */
  get areLaunches(): boolean {
    const [part] = this.#parts;
    return part?.does === undefined && part?.by === undefined;
  }

  /** The number of episodes that had begun by `stamp`. */
  countAt(stamp: number): number {
    return this.#from.findLastIndex((from) => from <= stamp) + 1;
  }

  /** Returns the episode that contains `stamp`; `undefined` before the first one. */
  at(stamp: number): Episode | undefined {
    const index = this.countAt(stamp) - 1;
    const [from, launch, part] = [this.#from[index], this.#launches[index], this.#parts[index]];
    return from === undefined || launch === undefined || part === undefined ? undefined : { from, launch, ...part };
  }
}

function isSame(a: EpisodeCommon, b: EpisodeCommon): boolean {
  const [one, other] = [a.cta.blockIdx, b.cta.blockIdx];
  return (
    a.cta.rank === b.cta.rank &&
    a.thread === b.thread &&
    a.does === b.does &&
    a.by === b.by &&
    a.purpose === b.purpose &&
    one.x === other.x &&
    one.y === other.y &&
    one.z === other.z
  );
}
