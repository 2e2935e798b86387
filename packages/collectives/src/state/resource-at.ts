import type { DevComm } from '@nccl-ts/communicator';
import type { DevResourceHandles } from '@nccl-ts/devcomm';

/** Returns the resource of requirement number `index` in a device communicator's list. */
export function resourceAt({ plan }: DevComm, index: number): DevResourceHandles {
  const resource = plan.resources[index];
  if (resource === undefined) throw new RangeError(`A device communicator lacks its resource ${index}.`);
  return resource;
}
