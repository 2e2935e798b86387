import { networkMisuse } from '../program/network-misuse.ts';
import type { DevCommValue, ProgramHost, WindowLocation, WindowValue } from '../program/program.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';
import type { RunningCta } from './running-cta.ts';

/** Finds the window of a pointer. All windows belong to the world's only communicator. */
export function windowSearch(host: ProgramHost): SupportFunctions {
  const find = (
    { identity }: RunningCta,
    thread: number,
    site: number,
    what: string,
    address: number,
    region: number,
  ): WindowLocation => {
    const found = host.windowAt({ address, region });
    if (found !== undefined) return found;
    return host.fault(identity, {
      kind: 'misuse',
      site,
      thread,
      message: networkMisuse.noWindow(what),
    });
  };
  return {
    findWindow: (
      cta: RunningCta,
      thread: number,
      site: number,
      _comm: DevCommValue,
      address: number,
      region: number,
    ): WindowValue => find(cta, thread, site, 'findWindow', address, region).window,
    windowOffset: (
      cta: RunningCta,
      thread: number,
      site: number,
      _comm: DevCommValue,
      address: number,
      region: number,
    ): number => find(cta, thread, site, 'windowOffset', address, region).offset,
  };
}
