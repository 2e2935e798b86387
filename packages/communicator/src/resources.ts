import { settleAll } from './errors.ts';

/** What a communicator owns, in the order in which it was made. */
export class Resources {
  readonly #owned = new Set<{ close(): Promise<void> }>();

  add(resource: { close(): Promise<void> }): void {
    this.#owned.add(resource);
  }

  /** The resource was closed by itself. */
  remove(resource: { close(): Promise<void> }): void {
    this.#owned.delete(resource);
  }

  /** Closes all, the youngest first. All are closed, whatever goes wrong with some of them. */
  async close(what: string): Promise<void> {
    const reversed = [...this.#owned].reverse();
    this.#owned.clear();
    await settleAll(
      reversed.map((resource) => () => resource.close()),
      what,
    );
  }
}
