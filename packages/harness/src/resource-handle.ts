import { expectInteger } from '@nccl-ts/core';
import { struct, type StructType } from './compound-types.ts';
import { memoryType, type MemoryType } from './memory/memory-type.ts';
import { u32 } from './scalar-types.ts';

/**
 * The type of an `ncclDevResourceHandle`, for a kernel that is compiled against the stand-in
 * headers. Its value is an index of `devComm.resourceRequirementsList`.
 *
 * @throws NcclError `NCCL_INVALID_ARGUMENT` if the value is not an integer of at least 0, or, when
 *   memory is filled, if the list has no such element.
 */
export const resourceHandle: MemoryType<number> = memoryType<number>({
  typeName: 'ncclDevResourceHandle',
  bytes: 4,
  align: 4,
  encode: (into, at, value, what) => into.field(at, { resource: expectInteger(what, value, 0) }, 4),
});

/**
 * `ncclLLA2AHandle`. `bufHandle` is the index in `devComm.resourceRequirementsList` of the
 * requirement that `llA2ACreateRequirement` of `@nccl-ts/devcomm` makes, for at least `nSlots`.
 *
 * @example
 * const { requirement } = llA2ACreateRequirement(1, 8);
 * // harness: devComm: { resourceRequirementsList: [requirement] }
 * // args: [llA2AHandle({ bufHandle: 0, nSlots: 8 }), …]
 */
export const llA2AHandle: StructType<{ readonly bufHandle: typeof resourceHandle; readonly nSlots: typeof u32 }> =
  struct({ bufHandle: resourceHandle, nSlots: u32 });
