import type { LaunchGroup } from './group.ts';

/**
 * Encodes the rounds of a batch. In each, every CTA gets a turn, and then a test if it can
 * continue. At the end every CTA gets another turn.
 *
 * @param first true to test before the first turn, because memory may have changed since the last
 * one
 */
export function encodeRounds(
  encoder: GPUCommandEncoder,
  timing: GPUComputePassTimestampWrites | undefined,
  groups: readonly LaunchGroup[],
  rounds: number,
  first: 'step' | 'poll',
  encode: (pass: GPUComputePassEncoder, group: LaunchGroup, pipeline: GPUComputePipeline) => void,
): void {
  const pass = encoder.beginComputePass(timing === undefined ? {} : { timestampWrites: timing });
  const again = groups.filter(({ code }) => !code.source.once);
  const step = (): void => {
    for (const group of again) encode(pass, group, group.code.step);
  };
  const poll = (): void => {
    for (const group of again) if (group.code.poll !== undefined) encode(pass, group, group.code.poll);
  };
  for (const group of groups) if (group.code.source.once && !group.begun) encode(pass, group, group.code.step);
  for (const group of groups) group.begun = true;
  if (first === 'poll') poll();
  for (let round = 0; round < rounds; round++) {
    step();
    poll();
  }
  step();
  pass.end();
}
