import type { MemoryOrder, MemoryScope } from '@nccl-ts/core';
import { scopeWidth, Shadow, type GroupClocks, type HappensBefore } from '@nccl-ts/memory-model';
import type { CtaWatch, WatchedSpace } from '../program.ts';

/** What one CTA does, told to the checker. */
export class CheckedCta implements CtaWatch {
  readonly global: WatchedSpace;
  readonly shared: WatchedSpace;
  readonly group: GroupClocks;
  readonly #order: HappensBefore;
  readonly #onDone: (group: GroupClocks) => void;

  constructor(order: HappensBefore, group: GroupClocks, onDone: (group: GroupClocks) => void) {
    this.group = group;
    this.#order = order;
    this.#onDone = onDone;
    this.global = new CheckedSpace(order, group, order.shadow);
    this.shared = new CheckedSpace(order, group, new Shadow());
  }

  fence(thread: number, order: MemoryOrder, scope: MemoryScope): void {
    this.#order.fence(this.group, thread, order, scopeWidth(scope));
  }

  fenceProxy(thread: number): void {
    this.#order.fenceProxy(this.group, thread);
  }

  settle(thread: number, address: number): void {
    this.#order.settle(this.group, thread, address);
  }

  meetAll(): void {
    this.group.meetAll();
  }

  meetTiles(size: number): void {
    const { threads } = this.group;
    if (size >= threads) {
      this.group.meetAll();
      return;
    }
    for (let first = 0; first < threads; first += size) {
      const count = Math.min(size, threads - first);
      this.group.meet(Array.from({ length: count }, (_, i) => first + i));
    }
  }

  meet(members: readonly number[]): void {
    this.group.meet(members);
  }

  done(): void {
    this.#onDone(this.group);
  }
}

class CheckedSpace implements WatchedSpace {
  readonly #order: HappensBefore;
  readonly #group: GroupClocks;
  readonly #shadow: Shadow;

  constructor(order: HappensBefore, group: GroupClocks, shadow: Shadow) {
    this.#order = order;
    this.#group = group;
    this.#shadow = shadow;
  }

  load(thread: number, address: number, bytes: number, site: number): void {
    this.#order.accesses.read(this.#group, thread, this.#shadow, address, bytes, site);
  }

  store(thread: number, address: number, bytes: number, site: number): void {
    this.#order.accesses.write(this.#group, thread, this.#shadow, address, bytes, site);
  }

  loadStrong(thread: number, address: number, site: number): void {
    this.#order.load(this.#group, thread, this.#shadow, address, site);
  }

  storeStrong(thread: number, address: number, site: number): void {
    this.#order.store(this.#group, thread, this.#shadow, address, site);
  }

  update(thread: number, address: number, site: number, wrote: boolean): void {
    if (wrote) this.#order.update(this.#group, thread, this.#shadow, address, site);
    else this.#order.load(this.#group, thread, this.#shadow, address, site);
  }
}
