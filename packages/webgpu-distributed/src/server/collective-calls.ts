import { NcclError } from '@nccl-ts/core';
import { devCommPlanDifference, type DevCommPlan } from '@nccl-ts/devcomm';
import type { DeviceBuffer } from '@nccl-ts/transport';
import type { WindowFlags } from '@nccl-ts/window';

/** A rank's request in a collective call. */
export type CollectiveRequest =
  | {
      readonly kind: 'registerWindow';
      readonly buffer: DeviceBuffer;
      readonly offset: number;
      readonly bytes: number;
      readonly flags: WindowFlags;
    }
  | { readonly kind: 'createDevComm'; readonly plan: DevCommPlan };

interface Caller {
  readonly request: CollectiveRequest;
  resolve(number: number): void;
  reject(error: Error): void;
}

/**
 * The collective calls of all ranks, in the same order. They may come from different workers or
 * processes.
 */
export class CollectiveCalls {
  readonly #ranks: number;
  readonly #perform: (requests: readonly CollectiveRequest[]) => Promise<number>;
  readonly #onWait: (rank: number, waits: boolean) => void;
  /** By position: the ranks that have called. */
  readonly #open = new Map<number, Map<number, Caller>>();
  readonly #next: number[];

  /**
   * @param perform does the work when all ranks have called, with each rank's request. All ranks get
   * its result, the number of the new object.
   * @param onWait called when a rank starts to wait for others, and when it stops.
   */
  constructor(
    ranks: number,
    perform: (requests: readonly CollectiveRequest[]) => Promise<number>,
    onWait: (rank: number, waits: boolean) => void,
  ) {
    this.#ranks = ranks;
    this.#perform = perform;
    this.#onWait = onWait;
    this.#next = Array.from({ length: ranks }, () => 0);
  }

  /**
   * Waits for all ranks, and then for the work.
   *
   * @throws NcclError `NCCL_INVALID_ARGUMENT` if the ranks' requests differ, `NCCL_INVALID_USAGE`
   *   if they make different calls.
   */
  async call(rank: number, request: CollectiveRequest): Promise<number> {
    const position = this.#next[rank] ?? 0;
    this.#next[rank] = position + 1;
    const callers = this.#open.get(position) ?? new Map<number, Caller>();
    this.#open.set(position, callers);
    return new Promise((resolve, reject) => {
      callers.set(rank, { request, resolve, reject });
      if (callers.size < this.#ranks) this.#onWait(rank, true);
      else void this.#complete(position, callers);
    });
  }

  /** Called if no rank can continue, or all have ended. All waits fail. */
  fail(error: (present: readonly number[], kind: CollectiveRequest['kind']) => Error): void {
    for (const [position, callers] of this.#open) {
      this.#open.delete(position);
      const [first] = callers.values();
      if (first === undefined) continue;
      const failure = error([...callers.keys()], first.request.kind);
      for (const [rank, caller] of callers) {
        this.#onWait(rank, false);
        caller.reject(failure);
      }
    }
  }

  async #complete(position: number, callers: ReadonlyMap<number, Caller>): Promise<void> {
    this.#open.delete(position);
    for (const rank of callers.keys()) this.#onWait(rank, false);
    const requests = [...callers].sort(([a], [b]) => a - b).map(([, caller]) => caller.request);
    try {
      checkAgreement(requests);
      const number = await this.#perform(requests);
      for (const caller of callers.values()) caller.resolve(number);
    } catch (error) {
      const failure = error instanceof Error ? error : new NcclError('NCCL_INTERNAL_ERROR', String(error));
      for (const caller of callers.values()) caller.reject(failure);
    }
  }
}

/** @throws NcclError if two ranks request different things */
function checkAgreement([first, ...others]: readonly CollectiveRequest[]): void {
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

function difference(one: CollectiveRequest, other: CollectiveRequest): string | undefined {
  if (one.kind === 'createDevComm') {
    return other.kind === 'createDevComm' ? devCommPlanDifference(one.plan, other.plan) : undefined;
  }
  if (other.kind !== 'registerWindow') return undefined;
  if (one.bytes !== other.bytes) return `bytes ${one.bytes} / ${other.bytes}`;
  return one.flags === other.flags ? undefined : `flags ${one.flags} / ${other.flags}`;
}
