import { ncclVersionText, NcclError } from '@nccl-ts/core';
import { ginTypeCodes, isGinType, type GinType, type ResourceSupport } from '@nccl-ts/devcomm';
import type { NcclLibrary } from '../ffi/nccl-library.ts';
import { structLayout, type MemberLayout, type NcclLayout } from '../ffi/nccl-layout.ts';

/**
 * Returns the capabilities that a world's ranks have in common, as NCCL reports them for one of
 * their communicators. Versions before 2.29.2 do not report them, and count as without a network.
 * Multicast is not used here.
 *
 * @throws NcclError with NCCL's error
 */
export function worldSupport(nccl: NcclLibrary, layout: NcclLayout, comm: number): ResourceSupport {
  const { version: ncclVersion } = nccl.installation;
  const none = { symmetric: true, multimem: false, gin: 'none', ncclVersion } as const;
  if (layout.properties === undefined) return Object.freeze(none);
  const struct = structLayout(layout, 'properties');
  const bytes = new Uint8Array(struct.bytes);
  bytes.set(struct.initial ?? []);
  nccl.check('ncclCommQueryProperties', comm, bytes);
  const typeAt = (name: string): GinType => {
    const member = struct.members[name];
    if (member === undefined) return 'none';
    const view = new DataView(bytes.buffer);
    return ginTypeOf(
      member.bytes === 1 ? view.getUint8(member.offset) : view.getUint32(member.offset, true),
      ncclVersion,
    );
  };
  const flagAt = (name: string): boolean => {
    const member = struct.members[name];
    return member !== undefined && bytes[member.offset] === 1;
  };
  const cft = flagAt('cftMulticastSupport') ? 'cftMultimem' : 'cft';
  const fabric = flagAt('cftSupport') ? ({ cft, cftCounted: flagAt('cftCountedSupport') } as const) : {};
  const full = typeAt('ginType');
  const ginType = full === 'none' ? typeAt('railedGinType') : full;
  if (ginType === 'none') return Object.freeze({ ...none, ...fabric });
  const gin = full === 'none' ? 'rail' : 'full';
  const ginTypes = typesOf(struct.members['ginSupport'], bytes);
  return Object.freeze({ ...none, ...fabric, gin, ginType, ...(ginTypes === undefined ? {} : { ginTypes }) });
}

const allTypes: readonly GinType[] = Object.keys(ginTypeCodes).filter(isGinType);

/** Returns the types of GIN, which NCCL reports since 2.31 as a flag for each code. */
function typesOf(member: MemberLayout | undefined, bytes: Uint8Array): readonly GinType[] | undefined {
  if (member === undefined) return undefined;
  return allTypes.filter((type) => type !== 'none' && bytes[member.offset + ginTypeCodes[type]] === 1);
}

function ginTypeOf(code: number, version: number): GinType {
  const type = allTypes.find((one) => ginTypeCodes[one] === code);
  if (type !== undefined) return type;
  throw new NcclError(
    'NCCL_INTERNAL_ERROR',
    `NCCL ${ncclVersionText(version)} has a GIN of type ${code}, which this library does not know.`,
  );
}
