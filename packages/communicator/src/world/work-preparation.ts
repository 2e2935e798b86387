import type { BackendWorld } from '@nccl-ts/transport';

/** The backend's preparation for launches with `work`, before the first of them. */
export class WorkPreparation {
  readonly #device: BackendWorld;
  #preparing: Promise<void> | undefined;
  #isReady: boolean;

  constructor(device: BackendWorld) {
    this.#device = device;
    this.#isReady = device.prepareWork === undefined;
  }

  /** True if launches with work need not wait. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Resolves when launches with work may be enqueued. */
  async ready(): Promise<void> {
    if (this.#isReady) return;
    this.#preparing ??= this.#prepare();
    await this.#preparing;
  }

  async #prepare(): Promise<void> {
    await this.#device.prepareWork?.();
    this.#isReady = true;
  }
}
