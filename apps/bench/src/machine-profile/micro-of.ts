import type { MicroResult } from '@nccl-ts/machine-profile';
import { JsonValue } from '../figures/json-value.ts';

/** The micro-benchmarks in a profile's file. */
export function microOf(profile: unknown, path: string): readonly MicroResult[] {
  return new JsonValue(profile, path).at('micro').list.map((one) => ({
    name: one.at('name').text,
    unit: one.at('unit').text === 'ns' ? 'ns' : 'bytes/ns',
    value: one.at('value').number,
    rounds: one.at('rounds').list.map((round) => round.number),
    ctas: one.at('ctas').number,
    threads: one.at('threads').number,
    packs: one.at('packs').number,
    ...(one.at('ranks').present && { ranks: one.at('ranks').number }),
  }));
}
