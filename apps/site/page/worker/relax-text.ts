import type { RelaxedPlace, RelaxResult, Machine } from '../protocol.ts';
import { machines } from '@nccl-ts/cost-model';
import {
  offeredProgram,
  offerText,
  predictedTimes,
  reasonText,
  relaxProgram,
  savedAlone,
  timesText,
  type JudgedProgramPlace,
} from '@nccl-ts/relax';
import type { CheckNews } from './check-program.ts';
import { fixEdits } from './fix-edits.ts';
import { FILE, loadProgram, noHost } from './load-program.ts';
import { captureLog } from './program-console.ts';
import { simOptions } from './run-program.ts';

/** The machine whose times are predicted. */
const MACHINE = 'h100-nvlink4';

/**
 * Says for each synchronization of a program if it is needed.
 *
 * @throws TypeError for a program without a host, and NcclError for one that is wrong as it is.
 */
export async function relaxText(
  text: string,
  machine: Machine,
  { signal, onPhase }: Pick<CheckNews, 'signal' | 'onPhase'>,
): Promise<RelaxResult> {
  const started = performance.now();
  const restore = captureLog([]);
  try {
    const { host } = await loadProgram(text);
    if (host === undefined) throw noHost('relax the program');
    const { ranks, lsaSize } = simOptions(machine);
    const program = { ranks: [...new Set([2, 3, 4, ranks])], ...(lsaSize === undefined ? {} : { lsaSize }) };
    const textOf = (path: string): string | undefined => (path === FILE ? text : undefined);
    const report = await relaxProgram(host, { ...program, textOf, signal, onProgress: onPhase });
    const { places, inputs, joint, written } = report;
    const on = { name: MACHINE, costs: machines[MACHINE] };
    const times = await predictedTimes(offeredProgram(host, report, program), on, onPhase);
    return {
      places: places.map((one, i) => placeOf(one, savedAlone(times, i))),
      times: timesText(times),
      inputs: inputs.flatMap(({ name, unusable }) => (unusable === undefined ? [name] : [])),
      unusable: inputs.flatMap(({ name, unusable }) => (unusable === undefined ? [] : [`${name}: ${unusable}`])),
      together: joint.length,
      written: written.flatMap(({ offers }) => offers).length,
      edits: written.flatMap(({ edits }) => fixEdits(edits, text)),
      milliseconds: performance.now() - started,
    };
  } finally {
    restore();
  }
}

function placeOf(one: JudgedProgramPlace, saved: string): RelaxedPlace {
  const { place, judgement, to } = one;
  return {
    line: Number(place.at.split(':').at(-1)),
    name: place.name,
    kernel: place.kernel,
    judgement,
    reason: `${reasonText(one, offerText(one), 'the program')}${saved}`,
    isOffer: to !== undefined,
  };
}
