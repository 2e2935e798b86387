import { WARP_SIZE } from '@nccl-ts/core';
import type { CollectiveStatement, Coop, Expression } from '@nccl-ts/ir';

import { helper } from '../emit-shared/context.ts';
import type { JsContext } from './js-context.ts';
import type { ModuleText } from '../emit-shared/module-text.ts';
import { componentsOf } from '../emit-shared/types.ts';

/** The texts for the members of the group of `thread`. */
export interface GroupText {
  /** The first thread that may be a member. */
  readonly base: string;
  /** The number of threads, starting there, that may be members. */
  readonly count: string;
  /** Bit `i` is set if thread `base + i` is a member; -1 for all. */
  readonly mask: string;
}

/**
 * True if a synchronization at `s` orders its threads, so that the earlier writes of each are
 * visible to all afterwards. Shuffles and votes of warps exchange values and order nothing. Waiting
 * for several indices orders nothing either.
 */
export function orders(s: { readonly kind: string; readonly coop: Coop; readonly op?: string }): boolean {
  return s.kind === 'sync' || (s.kind === 'collective' && s.coop.kind === 'cta');
}

/**
 * Returns the expressions that define a group. The fields of `keptInputs` store each thread's
 * values of them.
 */
export function groupInputs(coop: Coop): readonly Expression[] {
  switch (coop.kind) {
    case 'tile':
    case 'cta':
      return [];
    case 'lanes':
      return [coop.mask];
    case 'warpSpan':
      return [coop.first, coop.count];
  }
}

/** Returns the group of `thread`. `inputs` are the texts of its `groupInputs`. */
export function groupText(context: JsContext, coop: Coop, thread: string, inputs: readonly string[]): GroupText {
  const { threads } = context;
  const [first = '0', count = '0'] = inputs;
  switch (coop.kind) {
    case 'cta':
      return { base: '0', count: `${threads}`, mask: '-1' };
    case 'tile':
    case 'lanes': {
      const size = coop.kind === 'tile' ? coop.size : WARP_SIZE;
      const base = `(${thread} & ${-size})`;
      const fits = threads % size === 0;
      return {
        base,
        count: fits ? `${size}` : `Math.min(${size}, ${threads} - ${base})`,
        mask: coop.kind === 'tile' ? '-1' : first,
      };
    }
    case 'warpSpan':
      return {
        base: `(${first} * ${WARP_SIZE})`,
        count: `Math.min(${count} * ${WARP_SIZE}, ${threads} - ${first} * ${WARP_SIZE})`,
        mask: '-1',
      };
  }
}

/** True if all threads of the group are lanes of one warp. */
export function isOfLanes({ kind }: Coop): boolean {
  return kind === 'tile' || kind === 'lanes';
}

/** Returns the number of threads that a shuffle reaches: those of the tile. */
function shuffleSize(coop: Coop): number {
  return coop.kind === 'tile' ? coop.size : WARP_SIZE;
}

/**
 * The fields of the CTA for each thread's contribution to a collective: the value's components, the
 * lane, and the group.
 */
export interface CollectiveFields {
  readonly values: readonly string[];
  readonly lane: string;
  readonly inputs: readonly string[];
}

/** Adds a field with one element for each thread. */
function perThread(context: JsContext, text: ModuleText, array: string, name: string): string {
  text.fields.set(
    name,
    array === 'Array' ? `new Array(${context.threads}).fill(null)` : `new ${array}(${context.threads})`,
  );
  return `cta.${name}`;
}

/** Returns the field for each thread's value of input number `i` of its group. */
export function groupField(context: JsContext, text: ModuleText, i: number): string {
  return perThread(context, text, 'Float64Array', `meet_group_${i}`);
}

/** Names the group in words. */
export function groupWords(coop: Coop): string {
  switch (coop.kind) {
    case 'cta':
      return 'CTA';
    case 'tile':
      return coop.size === WARP_SIZE ? 'warp' : `tile of ${coop.size}`;
    case 'lanes':
      return 'lanes';
    case 'warpSpan':
      return 'span of warps';
  }
}

export function collectiveFields(context: JsContext, text: ModuleText, s: CollectiveStatement): CollectiveFields {
  const components = s.value === undefined ? [] : componentsOf(s.value.type);
  return {
    values: components.map(({ array }, i) => perThread(context, text, array, `meet_${array}_${i}`)),
    lane: s.lane === undefined ? '' : perThread(context, text, 'Float64Array', 'meet_lane'),
    inputs: groupInputs(s.coop).map((_, i) => groupField(context, text, i)),
  };
}

/**
 * Returns the texts of thread `thread`'s result, once all threads of its group have contributed.
 * With `met`, `members` are those that did, because others have ended, and `lanes` their lanes.
 */
export function collectiveResult(
  context: JsContext,
  s: CollectiveStatement,
  fields: CollectiveFields,
  thread: string,
  site: number,
  met?: 'met',
): readonly string[] {
  const inputs = fields.inputs.map((name) => `${name}[${thread}]`);
  const { base, count, mask } = groupText(context, s.coop, thread, inputs);
  const [votes = ''] = fields.values;
  const { threads } = context;
  const taken = (source: string): string => {
    const isWhole = met === undefined && threads % shuffleSize(s.coop) === 0;
    if (isWhole || !isOfLanes(s.coop)) return source;
    const lanes = met === undefined ? '-1' : 'lanes';
    return `${helper(context, 'takenFrom')}(cta, ${site}, ${thread}, ${source}, ${threads}, ${lanes})`;
  };
  switch (s.op) {
    case 'ballot':
      if (met !== undefined) return [`${helper(context, 'ballotOf')}(${votes}, ${base}, members)`];
      return [`${helper(context, 'ballot')}(${votes}, ${base}, ${count}, ${mask})`];
    case 'any':
    case 'all':
      if (met !== undefined) return [`${helper(context, `${s.op}Of`)}(${votes}, members)`];
      return [`${helper(context, s.op)}(${votes}, ${base}, ${count}, ${mask})`];
    case 'bcast': {
      const member = `${helper(context, 'memberAt')}(cta, ${thread}, ${site}, ${fields.lane}[${thread}], ${base}, ${count}, ${mask})`;
      const source = taken(member);
      return fields.values.map((name) => `${name}[${source}]`);
    }
    case 'shfl':
    case 'shflUp':
    case 'shflDown':
    case 'shflXor': {
      const source = taken(`${helper(context, s.op)}(${thread}, ${fields.lane}[${thread}], ${shuffleSize(s.coop)})`);
      return fields.values.map((name) => `${name}[${source}]`);
    }
    case 'activeMask':
      return [`${helper(context, 'warpMask')}(${thread}, ${threads})`];
  }
}
