import type { Finding, FindingLabel, ScheduleId } from '@nccl-ts/findings';
import { lastWrites, type HappensBefore } from '@nccl-ts/memory-model';
import type { SimWindow } from '../memory/sim-window.ts';
import type { Request } from '../network/request.ts';
import type { SimDevComm } from '../memory/sim-dev-comm.ts';
import { arrivalLeft, arrivalWords, operationLeft, signalLeft, windowEnds, type LeftoverReport } from './leftovers.ts';
import type { Outstanding } from './outstanding.ts';
import type { Participants } from './participants.ts';

export interface EndingsOptions {
  readonly order: HappensBefore;
  readonly participants: Participants;
  readonly outstanding: Outstanding;
  /** Returns the u32 at a heap address. */
  readonly wordAt: (address: number) => number;
  /** Returns the thread that posted a request, and its source location. */
  readonly labelOf: (request: Request) => FindingLabel | undefined;
  readonly add: (key: string, make: (schedule: ScheduleId) => Finding) => void;
  /** Drops all records of the words in `[low, high)`. */
  readonly forget: (low: number, high: number) => void;
}

/**
 * Finds operations that were never waited for when a window or a device communicator ends. It does
 * not report them after an abort.
 */
export class Endings {
  readonly #options: EndingsOptions;
  #isBroken = false;

  constructor(options: EndingsOptions) {
    this.#options = options;
  }

  /** Called when something was aborted or has failed. */
  brokenOff(): void {
    this.#isBroken = true;
  }

  /**
   * Called before a window is freed. With `closing`, everything else is freed too, because no host
   * program is left.
   */
  window({ addresses, bytes }: SimWindow, closing: boolean): void {
    const { outstanding, forget } = this.#options;
    for (const low of addresses) {
      const high = low + bytes;
      const requests = closing ? [] : outstanding.touching(low, high);
      this.#report([...this.#leftoversOf(requests, windowEnds), ...this.#signals(low, high)]);
      for (const request of requests) outstanding.drop(request);
      forget(low, high);
    }
  }

  /** Called before a device communicator is closed. */
  devComm(devComm: SimDevComm): void {
    this.#report(this.#leftOf(devComm));
    for (const { addresses, bytes } of [devComm.resources, devComm.state]) {
      for (const low of addresses) this.#options.forget(low, low + bytes);
    }
  }

  /** Returns the operations in the remaining windows that were not waited for so far. */
  soFar(windows: readonly SimWindow[], devComms: readonly SimDevComm[]): readonly LeftoverReport[] {
    if (this.#isBroken) return [];
    const signals = windows.flatMap(({ addresses, bytes }) =>
      addresses.flatMap((low) => this.#signals(low, low + bytes)),
    );
    const leftovers = [...devComms.flatMap((devComm) => this.#leftOf(devComm)), ...signals];
    return [...new Map(leftovers.map((one) => [one.key, one])).values()];
  }

  #report(leftovers: readonly LeftoverReport[]): void {
    if (this.#isBroken) return;
    for (const { key, make } of leftovers) this.#options.add(key, make);
  }

  #leftOf({ plan, resources, state }: SimDevComm): readonly LeftoverReport[] {
    const { outstanding } = this.#options;
    const gaveUp = [resources, state].some(({ addresses, bytes }) =>
      addresses.some((low) => outstanding.isAbandoned(low, low + bytes)),
    );
    const words = arrivalWords(plan);
    const arrivals = resources.addresses.flatMap((base) => words.flatMap((offset) => this.#arrival(base + offset)));
    const operations = state.addresses.flatMap((low) => outstanding.requests(low, low + state.bytes));
    return [
      ...arrivals.map((label) => arrivalLeft(label, gaveUp)),
      ...this.#leftoversOf(operations, (label) => operationLeft(label, gaveUp)),
      ...state.addresses.flatMap((low) => this.#signals(low, low + state.bytes)),
    ];
  }

  #signals(low: number, high: number): readonly LeftoverReport[] {
    return this.#leftoversOf(this.#options.outstanding.signals(low, high), signalLeft);
  }

  /** Returns the last arrival, if it was never waited for. */
  #arrival(address: number): readonly FindingLabel[] {
    const { order, outstanding, participants, wordAt } = this.#options;
    // Epochs wrap around.
    if (((wordAt(address) - outstanding.epoch(address)) | 0) <= 0) return [];
    const [last] = lastWrites(order, address);
    const label = last === undefined ? undefined : participants.label(last);
    // Neither the host nor a thread that sets the words by plain stores arrives at a barrier.
    return label?.access === undefined ? [] : [label];
  }

  #leftoversOf(requests: readonly Request[], make: (label: FindingLabel) => LeftoverReport): readonly LeftoverReport[] {
    return requests.flatMap((request) => {
      const label = this.#options.labelOf(request);
      return label === undefined ? [] : [make(label)];
    });
  }
}
