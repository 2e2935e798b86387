import type { Module } from '../module.ts';
import type { Body } from '../statement.ts';
import { mapBody } from '../visit/map-body.ts';
import { joinAssignments } from './normalise/chain.ts';
import { normaliseNode } from './normalise/conditions.ts';
import { forwardSubstitute } from './normalise/forward.ts';
import { renumber, stripped } from './normalise/number.ts';
import { normaliseStructure } from './normalise/structure.ts';
import { threadConditions } from './normalise/thread.ts';

/**
 * An equivalent module, in a form that does not depend on its author's, or a minifier's, style. To
 * compare two captures of a kernel, compare the printed normal forms.
 *
 * Equal normal forms mean equivalent kernels; equivalent kernels may still have different ones.
 * Every step keeps all effects, their order and all faults; of two faults without an effect between
 * them, which comes first may change. Spans, captured texts and the names of locals and arrays are
 * removed. A second normalisation changes nothing.
 */
export function normalise(module: Module): Module {
  const plain = stripped(module);
  return renumber({ ...plain, body: settled(plain.body) });
}

function settled(body: Body): Body {
  let present = body;
  // Each round shrinks or reorders towards the normal form; the bound only guards against a mistake
  // in that reasoning.
  for (let round = 0; round < 1000; round++) {
    const expressions = mapBody(present, { expression: normaliseNode });
    const next = forwardSubstitute(joinAssignments(threadConditions(normaliseStructure(expressions))));
    if (next === present) return present;
    present = next;
  }
  return present;
}
