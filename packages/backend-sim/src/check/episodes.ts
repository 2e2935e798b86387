import type { CtaIdentity } from '@nccl-ts/transport';

/** What an agent did from a stamp on. */
export interface Episode {
  readonly from: number;
  readonly launch: number;
  /** What the launch is for, where its program says so. */
  readonly purpose?: string | undefined;
  readonly cta: Pick<CtaIdentity, 'rank' | 'blockIdx'>;
  /** Of the network: the thread that posted, and what the network does with its request. */
  readonly thread?: number;
  readonly does?: string;
  /** Whether it is a bulk copy of the thread. */
  readonly isBulk?: true;
}

/** An episode without what changes from launch to launch. */
type Part = Pick<Episode, 'cta' | 'thread' | 'does' | 'purpose' | 'isBulk'>;

/**
 * All that one agent did, oldest first: two numbers for each launch and not more where it does the same each time, as any of them may
 * have written last what a finding is about.
 */
export class Episodes {
  readonly #from: number[] = [];
  readonly #launches: number[] = [];
  readonly #parts: Part[] = [];

  /** Adds one that begins where the last one has ended, or later. */
  add({ from, launch, purpose, cta, thread, does, isBulk }: Episode): void {
    const { rank, blockIdx } = cta;
    const last = this.#parts.at(-1);
    const given = {
      cta: { rank, blockIdx },
      purpose,
      ...(thread === undefined ? {} : { thread }),
      ...(isBulk === undefined ? {} : { isBulk }),
    };
    const part = does === undefined ? given : { ...given, does };
    this.#from.push(from);
    this.#launches.push(launch);
    this.#parts.push(last !== undefined && isSame(last, part) ? last : part);
  }

  /** The one that `stamp` lies in; `undefined` before the first. */
  at(stamp: number): Episode | undefined {
    const index = this.#from.findLastIndex((from) => from <= stamp);
    const [from, launch, part] = [this.#from[index], this.#launches[index], this.#parts[index]];
    return from === undefined || launch === undefined || part === undefined ? undefined : { from, launch, ...part };
  }
}

function isSame(a: Part, b: Part): boolean {
  const [one, other] = [a.cta.blockIdx, b.cta.blockIdx];
  return (
    a.cta.rank === b.cta.rank &&
    a.thread === b.thread &&
    a.does === b.does &&
    a.isBulk === b.isBulk &&
    a.purpose === b.purpose &&
    one.x === other.x &&
    one.y === other.y &&
    one.z === other.z
  );
}
