import { devComm, findWindow, resourceLsaPointer } from '@nccl-ts/devcomm';
import { addr, i32, kernel, multicastPointer, ptr, u32, u8 } from '@nccl-ts/kernel';
import { lsa } from '@nccl-ts/lsa';
import { callResult, callResultAddress } from '@nccl-ts/ptx';
import { deviceCall, asNcclSays, type ModelledCalls } from './device-call.ts';

const comm = { comm: devComm };

/** Addresses in windows. A window is represented by the address of the rank's own copy. */
export const pointerCalls: ModelledCalls = new Map([
  [
    '__nccl_ts_lsa_pointer',
    deviceCall('window offset lsaPeer', asNcclSays, () =>
      kernel(
        {
          name: 'ncclGetLsaPointer',
          use: { callResultAddress, lsa, findWindow },
          params: { ...comm, window: ptr(u8), offset: addr, lsaPeer: i32 },
        },
        ({ callResultAddress, lsa, findWindow, coopThread, u8 }, { comm, window, offset, lsaPeer }) => {
          const found = findWindow(coopThread(), comm, window);
          callResultAddress(lsa.pointer(found, u8, offset, lsaPeer));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_multimem_pointer',
    deviceCall('window offset group', asNcclSays, () =>
      kernel(
        {
          name: 'ncclGetMultimemPointer',
          use: { callResultAddress, multicastPointer, findWindow },
          params: { ...comm, window: ptr(u8), offset: addr, group: addr },
        },
        ({ callResultAddress, multicastPointer, findWindow, coopThread, u8 }, { comm, window, offset, group }) => {
          const found = findWindow(coopThread(), comm, window);
          callResultAddress(multicastPointer(found, u8, offset, group));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_resource_pointer',
    deviceCall('bufHandle lsaPeer', asNcclSays, () =>
      kernel(
        {
          name: 'ncclGetResourceBufferLsaPointer',
          use: { callResultAddress, resourceLsaPointer },
          params: { ...comm, bufHandle: u32, lsaPeer: i32 },
        },
        ({ callResultAddress, resourceLsaPointer, u8 }, { comm, bufHandle, lsaPeer }) => {
          callResultAddress(resourceLsaPointer(comm, u8, bufHandle, lsaPeer));
        },
      ),
    ),
  ],
  [
    '__nccl_ts_window_rank',
    deviceCall('window world!', asNcclSays, (known) =>
      kernel(
        {
          name: 'window rank',
          use: { callResult, findWindow, WORLD: known['world'] === 1 },
          params: { ...comm, window: ptr(u8) },
        },
        ({ callResult, findWindow, coopThread, WORLD }, { comm, window }) => {
          const found = findWindow(coopThread(), comm, window);
          callResult(WORLD ? found.worldRank : found.lsaRank);
        },
      ),
    ),
  ],
]);
