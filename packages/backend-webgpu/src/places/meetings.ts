import { NcclError } from '@nccl-ts/core';
import { devCommPlanDifference, type DevCommPlan } from '@nccl-ts/devcomm';
import type { DeviceBuffer } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';

/** A rank's contribution to a collective call. */
export type Brought =
  | {
      readonly kind: 'registerWindow';
      readonly buffer: DeviceBuffer;
      readonly offset: number;
      readonly bytes: number;
      readonly flags: WindowFlags;
    }
  | { readonly kind: 'createDevComm'; readonly plan: DevCommPlan };

interface Guest {
  readonly brought: Brought;
  resolve(number: number): void;
  reject(error: Error): void;
}

/**
 * The collective calls of all ranks, in the same order. They may come from different workers or
 * processes.
 */
export class Meetings {
  readonly #ranks: number;
  readonly #act: (brought: readonly Brought[]) => Promise<number>;
  readonly #waits: (rank: number, waits: boolean) => void;
  /** By position: the ranks that have arrived. */
  readonly #open = new Map<number, Map<number, Guest>>();
  readonly #next: number[];

  /**
   * @param act does the work when all ranks have arrived, with each rank's contribution. All ranks
   * get its number.
   * @param waits called when a rank starts to wait for others, and when it stops.
   */
  constructor(
    ranks: number,
    act: (brought: readonly Brought[]) => Promise<number>,
    waits: (rank: number, waits: boolean) => void,
  ) {
    this.#ranks = ranks;
    this.#act = act;
    this.#waits = waits;
    this.#next = Array.from({ length: ranks }, () => 0);
  }

  /**
   * Waits for all ranks, and then for the work.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the ranks' requests differ, `NCCL_INVALID_USAGE`
   *   if they make different calls.
   */
  async meet(rank: number, brought: Brought): Promise<number> {
    const position = this.#next[rank] ?? 0;
    this.#next[rank] = position + 1;
    const guests = this.#open.get(position) ?? new Map<number, Guest>();
    this.#open.set(position, guests);
    return new Promise((resolve, reject) => {
      guests.set(rank, { brought, resolve, reject });
      if (guests.size < this.#ranks) this.#waits(rank, true);
      else void this.#hold(position, guests);
    });
  }

  /** Called if no rank can continue, or all have ended. All waits fail. */
  fail(error: (came: readonly number[], kind: Brought['kind']) => Error): void {
    for (const [position, guests] of this.#open) {
      this.#open.delete(position);
      const [first] = guests.values();
      const failure = error([...guests.keys()], first?.brought.kind ?? 'createDevComm');
      for (const [rank, guest] of guests) {
        this.#waits(rank, false);
        guest.reject(failure);
      }
    }
  }

  async #hold(position: number, guests: ReadonlyMap<number, Guest>): Promise<void> {
    this.#open.delete(position);
    for (const rank of guests.keys()) this.#waits(rank, false);
    const brought = [...guests].sort(([a], [b]) => a - b).map(([, guest]) => guest.brought);
    try {
      agree(brought);
      const number = await this.#act(brought);
      for (const guest of guests.values()) guest.resolve(number);
    } catch (error) {
      const failure = error instanceof Error ? error : new NcclError('NCCL_INTERNAL_ERROR', String(error));
      for (const guest of guests.values()) guest.reject(failure);
    }
  }
}

/** @throws NcclError if two ranks request different things */
function agree([first, ...others]: readonly Brought[]): void {
  others.forEach((other, i) => {
    if (first === undefined) return;
    if (first.kind !== other.kind) {
      throw new NcclError(
        'NCCL_INVALID_USAGE',
        `Rank 0 called ${first.kind}, rank ${i + 1} called ${other.kind}. All ranks must make the same collective calls ` +
          'in the same order.',
      );
    }
    const differing = difference(first, other);
    if (differing === undefined) return;
    throw new NcclError(
      'NCCL_INVALID_ARGUMENT',
      `${first.kind}: the ranks disagree, rank 0 / rank ${i + 1}: ${differing}. All ranks must make the same request.`,
    );
  });
}

function difference(one: Brought, other: Brought): string | undefined {
  if (one.kind === 'createDevComm') {
    return other.kind === 'createDevComm' ? devCommPlanDifference(one.plan, other.plan) : undefined;
  }
  if (other.kind !== 'registerWindow') return undefined;
  if (one.bytes !== other.bytes) return `bytes ${one.bytes} / ${other.bytes}`;
  return one.flags === other.flags ? undefined : `flags ${one.flags} / ${other.flags}`;
}
