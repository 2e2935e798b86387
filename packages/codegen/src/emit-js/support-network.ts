import type { DevCommValue, PostedRequest, ProgramHost, WindowValue } from '../program/program.ts';
import type { RunningCta } from './running-cta.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

/** The kernels' requests to the network, by the names of the primitives. */
export function network(host: ProgramHost): SupportFunctions {
  return {
    ginPost: (
      { identity, trace, watch }: RunningCta,
      thread: number,
      site: number,
      kind: PostedRequest['kind'],
      at: PostedRequest['at'],
      modify: PostedRequest['modify'],
      strength: PostedRequest['strength'],
      comm: DevCommValue,
      context: number,
      sharing: number,
      peer: number,
      near: WindowValue,
      nearOffset: number,
      far: WindowValue,
      farOffset: number,
      bytes: number,
      value: bigint,
      signal: number,
      signalWindow: WindowValue,
      signalOffset: number,
      amount: bigint,
      counter: number,
      aggregates: number,
    ): void =>
      host.network.post(
        { cta: identity, thread, site, trace, watch },
        {
          kind,
          at,
          modify,
          strength,
          comm,
          context,
          sharing,
          peer,
          near,
          nearOffset,
          far,
          farOffset,
          bytes,
          value,
          signal,
          signalWindow,
          signalOffset,
          amount,
          counter,
          aggregates,
        },
      ),
    ginAcquire: ({ identity, trace, watch }: RunningCta, thread: number, site: number, address: number): void =>
      host.network.acquire({ cta: identity, thread, site, trace, watch }, address),
    ginReset: ({ identity, trace, watch }: RunningCta, thread: number, site: number, address: number): void =>
      host.network.reset({ cta: identity, thread, site, trace, watch }, address),
    ginCheckListed: (
      { identity }: RunningCta,
      thread: number,
      site: number,
      comm: DevCommValue,
      peer: number,
      world: number,
    ): void => host.network.checkListed({ cta: identity, thread, site }, comm, peer, world),
    ginRelease: (
      { identity, trace, watch }: RunningCta,
      thread: number,
      site: number,
      comm: DevCommValue,
      context: number,
      peer: number,
    ): void => host.network.release({ cta: identity, thread, site, trace, watch }, comm, context, peer),
  };
}
