import { binary, clusterCtas, compare, constant, logical, type ClusterSize } from '@nccl-ts/ir';
import type { PtxBody, PtxInstruction } from '../syntax/module.ts';
import type { AddressRole, AddressRoles } from './address-roles.ts';
import { ownRank, rankOf } from './cluster-addresses.ts';
import { mnemonic } from './instruction-parts.ts';
import { foldNumbers } from './known-values.ts';
import type { InstructionLowering } from './lower-instruction.ts';
import { u32Constant } from './module-builder.ts';
import { genericTag } from './registers.ts';
import { bitsAs } from './scalar-bits.ts';

const testedSpaces = ['global', 'shared', 'local'] as const;
type TestedSpace = (typeof testedSpaces)[number];

/** The space of an `isspacep`. `undefined` for spaces that are not distinguished here. */
function spaceOfTest({ words }: PtxInstruction): TestedSpace | undefined {
  const requested = words[1]?.split('::')[0];
  return testedSpaces.find((space) => space === requested);
}

/** Constant memory and parameters, which have no generic addresses of their own here. */
const otherSpaces: readonly string[] = ['const', 'param'];

function isOfOtherSpace({ words }: PtxInstruction): boolean {
  return otherSpaces.includes(words[1]?.split('::')[0] ?? '');
}

/**
 * True for a test that addresses of other CTAs of the cluster fail. It is the default for shared
 * memory.
 */
function isOfOwnCta({ words }: PtxInstruction): boolean {
  return words[1] !== 'shared::cluster';
}

/**
 * Removes tests for a state space that the roles of registers already decide, and the branches on
 * them. `cuda::atomic_ref` makes such a test for local memory before each access.
 */
export function foldSpaceTests(
  body: PtxBody,
  rolesIn: (body: PtxBody) => AddressRoles,
  cluster?: ClusterSize,
): PtxBody {
  if (!body.items.some((item) => item.kind === 'instruction' && item.words[0] === 'isspacep')) return body;
  const roles = rolesIn(body);
  const items = body.items.map((item) => {
    if (item.kind === 'label' || item.words[0] !== 'isspacep') return item;
    const [d, address] = item.operands;
    const space = spaceOfTest(item);
    // Which CTA of the cluster it is shows only at run time.
    if (space === 'shared' && isOfOwnCta(item) && clusterCtas(cluster) > 1) return item;
    if (d === undefined || address?.kind !== 'register') return item;
    const role = roles.of(address.name);
    const isKnown = role.kind === 'pointer' || (role.kind === 'narrow' && role.space === 'shared');
    const isInOther = isOfOtherSpace(item) && isKnown ? false : undefined;
    const isIn = space === undefined ? isInOther : answerOf(space, role, roles.mayBeTagged);
    if (isIn === undefined) return item;
    return {
      ...item,
      words: ['mov', 'pred'] as const,
      operands: [d, { kind: 'integer' as const, value: BigInt(isIn) }],
    };
  });
  return foldNumbers({ ...body, items });
}

/** True if an address is in a space. `undefined` if that is known only at run time. */
function answerOf(space: TestedSpace, role: AddressRole, mayBeTagged: boolean): boolean | undefined {
  if (role.kind === 'pointer' || (role.kind === 'word' && !mayBeTagged)) return space === 'global';
  return role.kind === 'narrow' && role.isGeneric ? role.space === space : undefined;
}

/** Lowers `isspacep` of an address whose space is known only at run time. */
export function lowerSpaceTest(instruction: PtxInstruction, lowering: InstructionLowering): void {
  const [d, address] = instruction.operands;
  const space = spaceOfTest(instruction);
  if (d !== undefined && isOfOtherSpace(instruction)) return lowering.assign(d, constant('bool', false));
  if (space === undefined) {
    return lowering.fail(
      'P2002',
      `${mnemonic(instruction)} tests for a space that is a part of another one here`,
      'test for .global, .shared or .local',
    );
  }
  if (d === undefined || address === undefined) {
    return lowering.fail('P1003', `${mnemonic(instruction)} has too few operands`);
  }
  const tag = bitsAs(binary('shr', lowering.value(address, 'u64'), constant('u64', 56n)), 'u32');
  const { cluster } = lowering;
  if (space === 'shared' && isOfOwnCta(instruction) && cluster !== undefined) {
    const isShared = compare('eq', tag, u32Constant(Number(genericTag.shared >> 56n)));
    const rank = rankOf(lowering.value(address, 'u32'));
    return lowering.assign(d, logical('and', isShared, compare('eq', rank, ownRank(cluster))));
  }
  const isTag = (of: 'shared' | 'local') => compare('eq', tag, u32Constant(Number(genericTag[of] >> 56n)));
  lowering.assign(d, space === 'global' ? compare('eq', tag, u32Constant(0)) : isTag(space));
}
