import type { ResourceSupport } from '@nccl-ts/devcomm';
import type { BackendWorld } from '@nccl-ts/transport';
import { shown } from '../describe.ts';
import { invalidArgument, notSupported } from '../errors.ts';

/**
 * Endpoints of the compute fabric for hosts, from the start: `enable` requires them, `fallback`
 * does without them if there are none, and `disable` makes none.
 *
 * @see ncclHostCftMode_t
 */
export type HostCftMode = 'enable' | 'disable' | 'fallback';

export interface HostCftOptions {
  /**
   * Gives hosts endpoints of the compute fabric from the start, for `getPeerDeviceLeInfo` and the
   * like. Otherwise they exist while a device communicator with `cftCaps` is open. NCCL's default
   * depends on its version; here it is `disable`. Since NCCL 2.31.
   *
   * @default 'disable'
   *
   * @see hostCftMode
   */
  readonly hostCftMode?: HostCftMode;
}

const modes: readonly HostCftMode[] = ['enable', 'disable', 'fallback'];

/**
 * Returns true if the hosts of a world have endpoints from the start.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` for another mode; `NCCLTS_NOT_SUPPORTED` if the mode is
 *   `enable` and the ranks or the backend have none.
 */
export function hasHostEndpoints(
  mode: HostCftMode | undefined,
  { cft = 'none' }: ResourceSupport,
  { logicalEndpoint }: Pick<BackendWorld, 'logicalEndpoint'>,
  what: string,
): boolean {
  if (mode === undefined || mode === 'disable') return false;
  if (!modes.includes(mode)) {
    throw invalidArgument(`${what}: hostCftMode must be one of ${modes.join(', ')}; given ${shown(mode)}.`);
  }
  const has = cft !== 'none' && logicalEndpoint !== undefined;
  if (has || mode === 'fallback') return has;
  throw notSupported(
    `${what}: hostCftMode 'enable' needs logical endpoints, which ` +
      (cft === 'none' ? 'these ranks do not have' : 'the backend does not give to hosts') +
      "; use 'fallback' or 'disable'.",
  );
}
