import { NcclError } from '@nccl-ts/core';
import type { Capabilities, Module, Source } from '@nccl-ts/ir';
import type { DevCommHandle, WindowHandle } from '@nccl-ts/transport';
import { aborted } from '../errors.ts';
import type { WebgpuWorld } from '../webgpu-world.ts';
import { Meetings, type Brought } from './meetings.ts';
import { PlaceSession } from './place-session.ts';
import type { WorldEnd } from './wire.ts';
import type { ToWorld } from './world-messages.ts';

/** Runs a world for ranks in separate workers or tabs. */
export class WorldServer {
  readonly capabilities: Capabilities;
  readonly world: WebgpuWorld;
  readonly meetings: Meetings;
  readonly windows: Map<number, WindowHandle> = new Map();
  readonly devComms: Map<number, DevCommHandle> = new Map();
  readonly #sessions: readonly PlaceSession[];
  /** By number of a window or device communicator: the number of ranks that still hold it. */
  readonly #holders = new Map<number, number>();
  readonly #locators = new Map<string, NonNullable<Source['locate']>>();
  readonly #closed = new Set<number>();
  #things = 0;
  #failure: Error | undefined;
  #finish: () => void = () => undefined;
  /** Resolves when every rank has closed the world, or it has ended otherwise. */
  readonly ended: Promise<void>;

  /** @param ends by rank. */
  constructor(world: WebgpuWorld, capabilities: Capabilities, ends: readonly WorldEnd[]) {
    this.capabilities = capabilities;
    this.world = world;
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.meetings = new Meetings(
      ends.length,
      async (brought) => this.#act(brought),
      (rank, waits) => this.#sessions[rank]?.host.waits(waits),
    );
    this.#sessions = ends.map((end, rank) => new PlaceSession(this, rank, end));
  }

  /** Takes a message of a member. */
  take(rank: number, message: ToWorld): void {
    this.#sessions[rank]?.take(message);
  }

  /** Records texts of kernels that this member can find in their author's files. */
  know(sources: readonly Source[]): void {
    for (const { text, locate } of sources) if (locate !== undefined) this.#locators.set(text, locate);
  }

  /** Adds the known locations of their texts to kernels of other members. */
  located(module: Module): Module {
    const sources = module.sources.map(({ name, text }) => ({
      name,
      text,
      locate: (offset: number) => this.#locators.get(text)?.(offset),
    }));
    return { ...module, sources };
  }

  /** Returns a new number for an object of the world. */
  nextNumber(): number {
    return this.#things++;
  }

  /** Called if no rank can continue. */
  stalled(error: Error | undefined): void {
    this.meetings.fail(
      (came, kind) =>
        error ??
        new NcclError(
          'NCCLTS_DEADLOCK',
          `${kind} cannot complete: no rank can continue. Present: rank ${came.join(', rank ')}.`,
        ),
    );
    for (const session of this.#sessions) session.stalled(error);
  }

  /** Ends everything at a rank's request. */
  abort(reason: Error): void {
    this.world.abort(reason);
    this.end(aborted('The world', reason));
  }

  /** Ends all waits. */
  end(error: Error): void {
    this.#failure ??= error;
    this.meetings.fail(() => error);
    this.#finish();
  }

  /** The reason why the world ended before all ranks had closed it. */
  get failure(): Error | undefined {
    return this.#failure;
  }

  /** Called when a rank no longer needs the world. Resolves when the world has ended. */
  async close(rank: number): Promise<void> {
    this.#closed.add(rank);
    if (this.#closed.size === this.#sessions.length) this.#finish();
    await this.ended;
  }

  /**
   * Called when a rank has freed the window or the device communicator. Returns true if all have.
   */
  release(number: number): boolean {
    const left = (this.#holders.get(number) ?? 1) - 1;
    this.#holders.set(number, left);
    if (left > 0) return false;
    this.#holders.delete(number);
    return true;
  }

  async #act(brought: readonly Brought[]): Promise<number> {
    const number = this.nextNumber();
    this.#holders.set(number, brought.length);
    const [first] = brought;
    if (first?.kind === 'createDevComm') this.devComms.set(number, await this.world.createDevComm(first.plan));
    if (first?.kind !== 'registerWindow') return number;
    const parts = brought.flatMap((one) => (one.kind === 'registerWindow' ? [one] : []));
    this.windows.set(number, await this.world.registerWindow(parts, first.bytes, first.flags));
    return number;
  }
}
