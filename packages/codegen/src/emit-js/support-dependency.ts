import type { ProgramHost } from '../program/program.ts';
import type { RunningCta } from './running-cta.ts';
import type { SupportFunctions } from '../emit-shared/support-functions.ts';

/** The kernels' calls about the previous and next launches, by the names of the primitives. */
export function dependencies(host: ProgramHost): SupportFunctions {
  return {
    dependencyIsOver: (): boolean => host.dependency?.isOver() ?? true,
    acquireDependency: ({ identity, trace, watch }: RunningCta, thread: number, site: number): void =>
      host.dependency?.acquire({ cta: identity, thread, site, trace, watch }),
    launchDependents: ({ identity, trace, watch }: RunningCta, thread: number, site: number): void =>
      host.dependency?.trigger({ cta: identity, thread, site, trace, watch }),
  };
}
