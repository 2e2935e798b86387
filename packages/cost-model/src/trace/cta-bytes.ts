import { valueAt, type CostModel } from '../cost-model.ts';
import { nothingMoved, type CtaShare, type Moved } from './launch-use.ts';
import { f64At } from './typed-items.ts';

/**
 * The bytes that the warps of a CTA have moved, and the time that these take by its share of memory
 * and of the links.
 */
export class CtaBytes {
  /** The bytes of the CTA since the beginning. */
  readonly moved: Moved = nothingMoved();
  /** Bytes per nanosecond of the CTA: its part of memory and of the links, each way. */
  readonly #memoryRate: number;
  readonly #ownLoadRate: number;
  readonly #ownStoreRate: number;
  readonly #loadRate: number;
  readonly #storeRate: number;
  /**
   * By warp: the bytes since its last wait, by memory and direction. The last item counts those of
   * the whole CTA since its last synchronization.
   */
  readonly #ownLoads: Float64Array;
  readonly #ownStores: Float64Array;
  readonly #peerLoads: Float64Array;
  readonly #peerStores: Float64Array;

  constructor({ memory, nvlink, ctaBandwidth }: CostModel, share: CtaShare, warps: number) {
    const { byCtas, storesByCtas, bandwidth, storeBandwidth } = nvlink;
    const { links } = share;
    this.#memoryRate = memory.bandwidth / share.memory;
    this.#ownLoadRate = memory.ctaBandwidth;
    this.#ownStoreRate = memory.ctaStoreBandwidth;
    this.#loadRate = Math.min(ctaBandwidth, valueAt(byCtas, links, bandwidth) / links);
    this.#storeRate = Math.min(ctaBandwidth, valueAt(storesByCtas, links, storeBandwidth) / links);
    this.#ownLoads = new Float64Array(warps + 1);
    this.#ownStores = new Float64Array(warps + 1);
    this.#peerLoads = new Float64Array(warps + 1);
    this.#peerStores = new Float64Array(warps + 1);
  }

  /** Counts the bytes of an access of a warp. Those that are past count for the whole CTA only. */
  count(warp: number, bytes: number, isOwn: boolean, loads: boolean, isPast: boolean): void {
    const own = loads ? this.#ownLoads : this.#ownStores;
    const moved = isOwn ? own : loads ? this.#peerLoads : this.#peerStores;
    const whole = moved.length - 1;
    if (!isPast) moved[warp] = f64At(moved, warp) + bytes;
    moved[whole] = f64At(moved, whole) + bytes;
    if (isOwn && loads) this.moved.ownLoads += bytes;
    else if (isOwn) this.moved.ownStores += bytes;
    else if (loads) this.moved.peerLoads += bytes;
    else this.moved.peerStores += bytes;
  }

  /** True if a warp, or the whole CTA, has moved any bytes. */
  hasMoved(of: number): boolean {
    const own = f64At(this.#ownLoads, of) + f64At(this.#ownStores, of);
    return own + f64At(this.#peerLoads, of) + f64At(this.#peerStores, of) > 0;
  }

  /** True if a warp, or the whole CTA, has stored to a peer. */
  hasSent(of: number): boolean {
    return f64At(this.#peerStores, of) > 0;
  }

  /** The bytes per nanosecond of accesses of one kind. */
  rate(isOwn: boolean, loads: boolean): number {
    if (!isOwn) return loads ? this.#loadRate : this.#storeRate;
    return Math.min(this.#memoryRate, loads ? this.#ownLoadRate : this.#ownStoreRate);
  }

  /** The time that the bytes take if `users` share the CTA's bandwidth to memory and links. */
  transfer(of: number, users: number): number {
    const ownLoads = f64At(this.#ownLoads, of);
    const ownStores = f64At(this.#ownStores, of);
    const local = Math.max(
      (ownLoads + ownStores) / this.#memoryRate,
      ownLoads / this.#ownLoadRate + ownStores / this.#ownStoreRate,
    );
    const links = f64At(this.#peerLoads, of) / this.#loadRate + f64At(this.#peerStores, of) / this.#storeRate;
    return users * Math.max(local, links);
  }

  /** Starts to count from 0. */
  forget(of: number): void {
    this.#ownLoads[of] = 0;
    this.#ownStores[of] = 0;
    this.#peerLoads[of] = 0;
    this.#peerStores[of] = 0;
  }
}
