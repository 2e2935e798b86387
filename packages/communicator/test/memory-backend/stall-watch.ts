import type { HostState } from '@nccl-ts/transport';

/**
 * Detects that no host program runs. Kernels of the memory backend never do anything by themselves.
 */
export class StallWatch {
  readonly #onStall: () => void;
  #pending: NodeJS.Immediate | undefined;

  constructor(onStall: () => void) {
    this.#onStall = onStall;
  }

  look(hosts: readonly HostState[], confirmations = 3): void {
    this.stop();
    if (hosts.includes('running') || !hosts.includes('waiting')) return;
    this.#pending = setImmediate(() => {
      if (confirmations === 0) this.#onStall();
      else this.look(hosts, confirmations - 1);
    });
  }

  stop(): void {
    if (this.#pending !== undefined) clearImmediate(this.#pending);
    this.#pending = undefined;
  }
}
