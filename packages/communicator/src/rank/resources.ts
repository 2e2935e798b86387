import { settleAll } from '../errors.ts';

/** The resources of a communicator, in the order of their creation. */
export class Resources {
  readonly #owned = new Set<{ close(): Promise<void> }>();

  add(resource: { close(): Promise<void> }): void {
    this.#owned.add(resource);
  }

  /** Removes a resource that was closed by itself. */
  remove(resource: { close(): Promise<void> }): void {
    this.#owned.delete(resource);
  }

  /**
   * Closes all of them, in reverse order of creation. All are closed, even if some of them fail.
   */
  async close(what: string): Promise<void> {
    const reversed = [...this.#owned].reverse();
    this.#owned.clear();
    await settleAll(
      reversed.map((resource) => () => resource.close()),
      what,
    );
  }
}
