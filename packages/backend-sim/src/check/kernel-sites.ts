import type { ProgramCode } from '@nccl-ts/codegen';
import type { HappensBefore, WatchedSite } from '@nccl-ts/memory-model';
import type { SimLaunch } from '../engine/launch.ts';
import { siteName, type EarlierRun } from './earlier-run.ts';
import type { LaunchScope } from './launch-scope.ts';
import type { Participants } from './participants.ts';
import { signalSite, siteOnHardware, watchedSite } from './watched-site.ts';

export interface KernelSitesOptions {
  readonly order: HappensBefore;
  readonly participants: Participants;
  readonly scope: LaunchScope;
  /** Receives the loads that are followed, as their numbers in the world. */
  readonly followed: Set<number>;
  /** True if orders that GPUs guarantee beyond the memory model count. */
  readonly hardware: boolean;
  readonly earlier: EarlierRun | undefined;
}

/** The numbers of the source locations of all kernels in a world. */
export class KernelSites {
  readonly #options: KernelSitesOptions;
  readonly #bases = new WeakMap<ProgramCode, number>();

  constructor(options: KernelSitesOptions) {
    this.#options = options;
  }

  /**
   * The number of a kernel's first source location. Each has two numbers: one for itself, and one
   * for the network's changes of a signal on its behalf.
   */
  baseOf({ code, kernel }: SimLaunch): number {
    const known = this.#bases.get(code);
    if (known !== undefined) return known;
    const { order, participants, scope, followed, hardware, earlier } = this.#options;
    const sites = code.sites.map((one, i) => {
      const site: WatchedSite = { ...watchedSite(one), usedAt: () => code.usesOf?.(i) };
      return hardware ? siteOnHardware(site, earlier?.flagStores.has(siteName(kernel.name, i)) === true) : site;
    });
    const base = order.addSites([...sites, ...code.sites.map(() => signalSite)]);
    participants.addSites({ base, sites: code.sites, kernel, body: code.body });
    scope.addSites(base, code.sites);
    for (const i of code.sites.keys())
      if (earlier?.loads.has(siteName(kernel.name, i)) === true) followed.add(base + i);
    this.#bases.set(code, base);
    return base;
  }
}
