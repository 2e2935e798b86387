import type { DevCommField } from '@nccl-ts/devcomm';
import { memoryType, type MemoryType, type TypedValue } from './memory/memory-type.ts';

/**
 * The fields of `ncclDevComm` in the stand-in `nccl.h`, in order. Each has 4 bytes, except the
 * last.
 */
const words: readonly (DevCommField | 'reserved')[] = [
  'rank',
  'nRanks',
  'lsaRank',
  'lsaSize',
  'ginContextCount',
  'ginSignalCount',
  'ginCounterCount',
  'lsaBarrier.bufHandle',
  'lsaBarrier.nBarriers',
  'hybridLsaBarrier.bufHandle',
  'hybridLsaBarrier.nBarriers',
  'worldGinBarrier.signal0',
  'railGinBarrier.signal0',
  'hybridWorldGinBarrier.signal0',
  'hybridRailGinBarrier.signal0',
  'reserved',
];

const type: MemoryType<null> = memoryType<null>({
  typeName: 'ncclDevComm of the stand-in headers',
  bytes: 4 * words.length + 8,
  align: 8,
  encode: (into, at) => {
    for (const [index, field] of words.entries()) if (field !== 'reserved') into.field(at + 4 * index, field, 4);
    into.field(at + 4 * words.length, 'lsaMultimem.mcBasePtr', 8);
  },
});

/** The device communicator as an argument. Its fields are known once it is created. */
export const devCommArgument: TypedValue = type(null);
